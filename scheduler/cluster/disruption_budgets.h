// SPDX-License-Identifier: Apache-2.0
// Which of the pods that would be evicted are more than their disruption budgets allow. What counts
// is the status of a budget, which somebody else writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/policy_v1.h"
#include "base/published.h"

namespace dray::scheduler::inline cluster {

/// Copies share what budgets say. Counts pods that go, in the order in which they are asked about:
/// upstream's FilterVictimsWithPDBViolation.
class DisruptionBudgets {
 public:
  explicit DisruptionBudgets(
      std::span<const api::policy_v1::PodDisruptionBudget* const> budgets = {});

  bool empty() const { return budgets_.empty(); }
  size_t size() const;
  /// Whether the pod goes against a budget; it is taken off those that count it, up to the first
  /// that has none left. One that its budget knows of already is not counted again.
  bool IsViolatedBy(const api::core_v1::Pod& pod);

 private:
  struct Said;
  struct Budget {
    Frozen<Said> said;
    int64_t left;
  };
  std::map<std::string, std::vector<Budget>, std::less<>> budgets_;  // by namespace
};

}  // namespace dray::scheduler::inline cluster
