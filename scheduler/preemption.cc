// SPDX-License-Identifier: Apache-2.0
#include "scheduler/preemption.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace dray::scheduler {
namespace {

/// A pod that does not run yet counts as the latest.
int64_t StartOf(const PodOnNode& pod) {
  return pod.started.IsZero() ? std::numeric_limits<int64_t>::max() : pod.started.unix_seconds();
}

/// Orders the more important pod first; the key makes it the same order everywhere.
auto Importance(const PodOnNode& pod) {
  return std::tuple(-int64_t{pod.priority}, StartOf(pod), std::string_view(pod.key));
}

void Count(NodeState& state, const PodOnNode& pod, int64_t sign) {
  for (const auto& [name, amount] : pod.requests) state.requested[name] += sign * amount;
  state.pods += sign;
}

/// Less is better.
auto HarmOf(const Preemption& candidate) {
  int64_t sum = 0;  // above the lowest priority there is, so that more victims are more
  for (const PodOnNode& victim : candidate.victims) {
    sum += int64_t{victim.priority} - std::numeric_limits<int32_t>::min();
  }
  const int32_t highest = candidate.victims.front().priority;
  int64_t earliest = std::numeric_limits<int64_t>::max();
  for (const PodOnNode& victim : candidate.victims) {
    if (victim.priority == highest) earliest = std::min(earliest, StartOf(victim));
  }
  return std::tuple(highest, sum, candidate.victims.size(), -earliest);
}

}  // namespace

Result<std::variant<std::vector<PodOnNode>, Rejection>> ChooseVictims(const NodeState& state,
                                                                      std::vector<PodOnNode> others,
                                                                      int32_t priority,
                                                                      const FitsOn& fits) {
  std::erase_if(others, [&](const PodOnNode& pod) { return pod.priority >= priority; });
  if (others.empty()) return Rejection{.reasons = {std::string(kNoVictims)}};
  std::ranges::sort(others, {}, Importance);
  NodeState left = state;
  for (const PodOnNode& pod : others) Count(left, pod, -1);
  DRAY_TRY(std::optional<Rejection> rejection, fits(left));
  if (rejection) return *std::move(rejection);
  std::vector<PodOnNode> victims;
  for (PodOnNode& pod : others) {
    Count(left, pod, 1);
    DRAY_TRY(rejection, fits(left));
    if (!rejection) continue;
    Count(left, pod, -1);
    victims.push_back(std::move(pod));
  }
  return victims;
}

const Preemption& LeastHarm(std::span<const Preemption> candidates) {
  return *std::ranges::min_element(candidates, {}, HarmOf);
}

}  // namespace dray::scheduler
