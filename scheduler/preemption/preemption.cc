// SPDX-License-Identifier: Apache-2.0
#include "scheduler/preemption/preemption.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "base/try.h"

namespace dray::scheduler::inline preemption {
namespace {

/// A pod that does not run yet counts as started last.
int64_t StartOf(const PodOnNode& pod) {
  return pod.started.IsZero() ? std::numeric_limits<int64_t>::max() : pod.started.unix_seconds();
}

int64_t StartOf(const Victim& victim) {
  int64_t earliest = std::numeric_limits<int64_t>::max();
  for (const PodOnNode& pod : victim.pods) earliest = std::min(earliest, StartOf(pod));
  return earliest;
}

auto Importance(const Victim& victim) {
  return std::tuple(-int64_t{victim.priority},
                    victim.is_of_group ? 0 : 1,
                    -static_cast<int64_t>(victim.pods.size()),
                    StartOf(victim),
                    std::string_view(victim.pods.front().key));
}

void Count(NodeState& state, const PodOnNode& pod, Trial::Change change) {
  const auto sign = static_cast<int64_t>(change);
  for (const auto& [name, amount] : pod.requests) state.requested[name] += sign * amount;
  for (const HostPort& port : pod.ports) {
    int64_t& pods = state.ports[port];
    pods += sign;
    if (pods == 0) state.ports.erase(port);
  }
  state.pods += sign;
}

void Move(NodeState& state, const Victim& victim, Trial::Change change, const Trial& trial) {
  for (const PodOnNode& pod : victim.pods) {
    if (!pod.is_elsewhere) Count(state, pod, change);
    if (trial.moved) trial.moved(pod, change);
  }
}

/// Less is better.
auto HarmOf(const Preemption& candidate) {
  int64_t sum = 0;  // relative to the lowest priority, so that more victims mean more harm
  for (const PodOnNode& victim : candidate.victims) {
    sum += int64_t{victim.priority} - std::numeric_limits<int32_t>::min();
  }
  const int32_t highest = candidate.victims.front().priority;
  int64_t earliest = std::numeric_limits<int64_t>::max();
  for (const PodOnNode& victim : candidate.victims) {
    if (victim.priority == highest) earliest = std::min(earliest, StartOf(victim));
  }
  return std::tuple(candidate.violations, highest, sum, candidate.victims.size(), -earliest);
}

}  // namespace

bool IsMoreImportant(const Victim& one, const Victim& other) {
  return Importance(one) < Importance(other);
}

Result<std::variant<ChosenVictims, Rejection>> ChooseVictims(const NodeState& state,
                                                             std::vector<Victim> others,
                                                             int32_t priority,
                                                             DisruptionBudgets budgets,
                                                             const Trial& trial) {
  using Change = Trial::Change;
  std::erase_if(others, [&](const Victim& victim) { return victim.priority >= priority; });
  if (others.empty()) return Rejection{.reasons = {std::string(kNoVictims)}};
  NodeState left = state;
  for (const Victim& victim : others) Move(left, victim, Change::kGone, trial);
  DRAY_TRY(std::optional<Rejection> rejection, trial.fits(left));
  if (rejection) return *std::move(rejection);
  std::ranges::sort(others, IsMoreImportant);
  const std::vector<size_t> violations = ViolationsBy(others, budgets);
  ChosenVictims chosen;
  std::vector<Victim> gone;
  for (const bool violates : {true, false}) {
    for (size_t i = 0; i < others.size(); ++i) {
      if ((violations[i] > 0) != violates) continue;
      Move(left, others[i], Change::kBack, trial);
      DRAY_TRY(rejection, trial.fits(left));
      if (!rejection) continue;
      Move(left, others[i], Change::kGone, trial);
      chosen.violations += violations[i];
      gone.push_back(others[i]);
    }
  }
  std::ranges::sort(gone, IsMoreImportant);
  for (Victim& victim : gone) std::ranges::move(victim.pods, std::back_inserter(chosen.pods));
  return chosen;
}

std::vector<size_t> ViolationsBy(std::span<const Victim> victims, DisruptionBudgets& budgets) {
  std::vector<size_t> violations;
  for (const Victim& victim : victims) {
    violations.push_back(
        static_cast<size_t>(std::ranges::count_if(victim.pods, [&](const PodOnNode& one) {
          return one.pod != nullptr && budgets.IsViolatedBy(*one.pod);
        })));
  }
  return violations;
}

const Preemption& LeastHarm(std::span<const Preemption> candidates) {
  return *std::ranges::min_element(candidates, {}, HarmOf);
}

}  // namespace dray::scheduler::inline preemption
