// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/scores.h"

#include <algorithm>
#include <cstddef>

namespace dray::scheduler::inline plugins {

void Normalise(std::vector<int64_t>& scores, Better better) {
  const int64_t most = scores.empty() ? 0 : std::ranges::max(scores);
  const bool reversed = better == Better::kFewer;
  for (int64_t& score : scores) {
    if (most == 0) {
      score = reversed ? kScoreMax : score;
      continue;
    }
    score = score * kScoreMax / most;
    if (reversed) score = kScoreMax - score;
  }
}

void AddWeighted(const std::vector<int64_t>& scores, int64_t weight, std::vector<int64_t>& sums) {
  for (size_t i = 0; i < sums.size(); ++i) sums[i] += weight * scores[i];
}

}  // namespace dray::scheduler::inline plugins
