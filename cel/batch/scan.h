// SPDX-License-Identifier: Apache-2.0
// From codes to lanes: the loops over all devices.
#pragma once

#include <cstdint>
#include <span>

#include "cel/batch/device_table.h"
#include "cel/batch/lanes.h"

namespace dray::cel {

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

/// Sets `out` to the outcome of each lane's code: `by_code` has one outcome per value of the
/// column. Costs one pass over the codes for each of at most four runs of like outcomes that are
/// not false, or one slower pass if there are more.
void Scan(const Column& column, std::span<const Outcome> by_code, Outcomes& out);

}  // namespace dray::cel
