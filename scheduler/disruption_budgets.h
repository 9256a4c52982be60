// SPDX-License-Identifier: Apache-2.0
// Which of the pods that would be evicted are more than their disruption budgets allow. What counts
// is the status of a budget, which somebody else writes.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/policy_v1.h"
#include "api/selectors/label_selector.h"

namespace dray::scheduler {

/// Counts pods that go, in the order in which they are asked about: upstream's
/// FilterVictimsWithPDBViolation.
class DisruptionBudgets {
 public:
  explicit DisruptionBudgets(
      std::span<const api::policy_v1::PodDisruptionBudget* const> budgets = {});

  bool empty() const { return budgets_.empty(); }
  /// Whether the pod goes against a budget; it is taken off those that count it, up to the first
  /// that has none left. One that its budget knows of already is not counted again.
  bool IsViolatedBy(const api::core_v1::Pod& pod);

 private:
  struct Budget {
    std::string namespace_name;
    api::LabelSelector selector;
    int64_t left;
    std::set<std::string, std::less<>> known;  // names of pods on their way
  };
  std::vector<Budget> budgets_;
};

}  // namespace dray::scheduler
