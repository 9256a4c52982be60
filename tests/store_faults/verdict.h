// SPDX-License-Identifier: Apache-2.0
// The verdict on a run: sound, or a test failure that names seed and file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/history/history.h"

namespace dray::store_faults {

/// Runs of one implementation: 10, or 200 when DRAY_SOAK=20.
uint64_t FaultRuns();

/// Checks `history`. If it is not sound, keeps it in a file and fails the test with the seed, the
/// file and the findings.
void ExpectSound(const history::History& history, std::string_view run, uint64_t seed);

}  // namespace dray::store_faults
