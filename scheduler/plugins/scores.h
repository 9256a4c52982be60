// SPDX-License-Identifier: Apache-2.0
// Scores of nodes by one plugin, normalised as in kube-scheduler's framework.
#pragma once

#include <cstdint>
#include <vector>

namespace dray::scheduler::inline plugins {

/// The best score of a node by one plugin.
inline constexpr int64_t kScoreMax = 100;

/// Whether higher or lower raw scores are better.
enum class Better : uint8_t { kMore, kFewer };

/// Scales raw scores, which must not be negative, to 0 … kScoreMax in proportion to the largest.
void Normalise(std::vector<int64_t>& scores, Better better);

/// Adds `weight` times each score to the sum at the same index.
void AddWeighted(const std::vector<int64_t>& scores, int64_t weight, std::vector<int64_t>& sums);

}  // namespace dray::scheduler::inline plugins
