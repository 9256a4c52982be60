// SPDX-License-Identifier: Apache-2.0
// Devices: upstream's plugin DynamicResources. Other parts of the scheduler do its work; its row in
// the table names them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dray::scheduler::inline plugins {

/// Adds scores of prioritized lists (KEP-4816), one for each node, to `sums`.
void AddDeviceScores(std::span<const int64_t> scores, std::vector<int64_t>& sums);

}  // namespace dray::scheduler::inline plugins
