// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/disruption_budgets.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/meta_v1/label_selector.h"
#include "scheduler/cluster/keyed_selector.h"

namespace dray::scheduler::inline cluster {

/// The contents of a budget, shared by the copies of a DisruptionBudgets.
struct DisruptionBudgets::Said {
  explicit Said(const api::policy_v1::PodDisruptionBudget& budget)
      : selector(budget.spec.selector), read(selector) {
    for (const auto& [name, when] : budget.status.disrupted_pods) known.push_back(name);
    std::ranges::sort(known);
  }

  const api::Maybe<api::meta_v1::LabelSelector> selector;
  const KeyedSelector read;
  std::vector<std::string> known;  // names of disrupted pods, sorted
};

DisruptionBudgets::DisruptionBudgets(
    std::span<const api::policy_v1::PodDisruptionBudget* const> budgets) {
  for (const api::policy_v1::PodDisruptionBudget* budget : budgets) {
    auto said = std::make_shared<const Said>(*budget);
    // Upstream's scheduler ignores budgets with an empty selector; the disruption controller does
    // not.
    if (said->read.IsNothing() || said->read.IsEverything()) continue;
    budgets_[budget->metadata.namespace_].push_back(
        {.said = std::move(said), .left = budget->status.disruptions_allowed});
  }
}

size_t DisruptionBudgets::size() const {
  size_t size = 0;
  for (const auto& [name, budgets] : budgets_) size += budgets.size();
  return size;
}

bool DisruptionBudgets::IsViolatedBy(const api::core_v1::Pod& pod) {
  if (pod.metadata.labels.empty()) return false;
  const auto of_namespace = budgets_.find(pod.metadata.namespace_);
  if (of_namespace == budgets_.end()) return false;
  for (Budget& budget : of_namespace->second) {
    if (!budget.said->read.Matches(pod.metadata.labels) ||
        std::ranges::binary_search(budget.said->known, pod.metadata.name)) {
      continue;
    }
    if (--budget.left < 0) return true;
  }
  return false;
}

}  // namespace dray::scheduler::inline cluster
