// SPDX-License-Identifier: Apache-2.0
// Devices: upstream's plugin DynamicResources. Parts of the scheduler do its work; its row in the
// table says where.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace dray::scheduler::inline plugins {

/// Adds scores of prioritized lists (KEP-4816), one for each node, to `sums`.
void AddDeviceScores(std::span<const int64_t> scores, std::vector<int64_t>& sums);

}  // namespace dray::scheduler::inline plugins
