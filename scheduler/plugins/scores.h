// SPDX-License-Identifier: Apache-2.0
// Scores of nodes by one plugin, as kube-scheduler's framework wants them.
#pragma once

#include <cstdint>
#include <vector>

namespace dray::scheduler::inline plugins {

/// The best score of a node by one plugin.
inline constexpr int64_t kScoreMax = 100;

/// Which raw scores are the better ones.
enum class Better : uint8_t { kMore, kFewer };

/// Brings raw scores, not below 0, to 0 … kScoreMax in proportion to the largest.
void Normalise(std::vector<int64_t>& scores, Better better);

/// Adds `weight` times each score to the sum of the same place.
void AddWeighted(const std::vector<int64_t>& scores, int64_t weight, std::vector<int64_t>& sums);

}  // namespace dray::scheduler::inline plugins
