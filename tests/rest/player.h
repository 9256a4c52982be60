// SPDX-License-Identifier: Apache-2.0
// Plays a scenario against a `dray serve` of its own and compares every answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "tests/rest/scenario.h"

namespace dray::rest {

/// The result of a scenario: a line for each request or event that differs from the recording.
struct Played {
  size_t exchanges = 0;
  std::vector<std::string> differences;
};

enum class Stop : uint8_t { kAtEnd, kAtDifference };

/// Starts `program` with its data in `folder`, which exists. Sends kubectl's requests without
/// kubectl, in their recorded order.
///
/// Errors: kServiceUnavailable  `program` does not serve
///         kBadRequest          the files of the scenario are invalid
Result<Played> Play(Disk& disk,
                    const Scenario& scenario,
                    const std::string& program,
                    const std::string& folder,
                    Stop stop);

}  // namespace dray::rest
