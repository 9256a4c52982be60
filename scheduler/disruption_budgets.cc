// SPDX-License-Identifier: Apache-2.0
#include "scheduler/disruption_budgets.h"

#include <utility>

#include "api/selectors/selector_of.h"

namespace dray::scheduler {

DisruptionBudgets::DisruptionBudgets(
    std::span<const api::policy_v1::PodDisruptionBudget* const> budgets) {
  for (const api::policy_v1::PodDisruptionBudget* budget : budgets) {
    if (!budget->spec.selector.has_value()) continue;
    Result<api::LabelSelector> selector = api::SelectorOf(*budget->spec.selector);
    // One without requirements is for no pod here, other than for the one who keeps its status.
    if (!selector || selector->IsEverything()) continue;
    Budget one{.namespace_name = budget->metadata.namespace_,
               .selector = *std::move(selector),
               .left = budget->status.disruptions_allowed,
               .known = {}};
    for (const auto& [name, when] : budget->status.disrupted_pods) one.known.insert(name);
    budgets_.push_back(std::move(one));
  }
}

bool DisruptionBudgets::IsViolatedBy(const api::core_v1::Pod& pod) {
  if (pod.metadata.labels.empty()) return false;
  for (Budget& budget : budgets_) {
    if (budget.namespace_name != pod.metadata.namespace_ ||
        !budget.selector.Matches(pod.metadata.labels) || budget.known.contains(pod.metadata.name)) {
      continue;
    }
    if (--budget.left < 0) return true;
  }
  return false;
}

}  // namespace dray::scheduler
