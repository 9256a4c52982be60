// SPDX-License-Identifier: Apache-2.0
// From codes to lanes: the loops over all devices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cel/batch/device_table.h"
#include "cel/batch/lanes.h"

namespace dray::cel::batch {

/// What a selector, or a part of one, says about a device.
enum class Outcome : uint8_t { kFalse, kTrue, kError };

/// Lanes by outcome; the rest are false.
struct Outcomes {
  Lanes matched;
  Lanes failed;

  void Reset(size_t size) {
    matched.Reset(size);
    failed.Reset(size);
  }
};

/// Codes in a row with one outcome.
struct OutcomeRun {
  uint32_t first = 0;
  uint32_t last = 0;  // one past the end
  Outcome outcome = Outcome::kFalse;
};

/// Adds a run to `runs`, which are in order. A run of kFalse is left out; one that continues the
/// last run is merged into it.
void AddRun(std::vector<OutcomeRun>& runs, const OutcomeRun& run);

/// Sets `out` to the outcome of each lane's code; codes in no run are false. Costs one pass over
/// the codes for each run, or one slower pass if there are many.
void Scan(const Column& column, std::span<const OutcomeRun> runs, Outcomes& out);

}  // namespace dray::cel::batch
