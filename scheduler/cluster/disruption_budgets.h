// SPDX-License-Identifier: Apache-2.0
// Which evictions would violate a PodDisruptionBudget. Reads the budgets' status, which the
// disruption controller writes.
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
#include "base/frozen.h"

namespace dray::scheduler::inline cluster {

/// Counts evictions in the order of the calls, as upstream's FilterVictimsWithPDBViolation does.
/// Copies share the budgets and count on their own.
class DisruptionBudgets {
 public:
  explicit DisruptionBudgets(
      std::span<const api::policy_v1::PodDisruptionBudget* const> budgets = {});

  bool empty() const { return budgets_.empty(); }
  size_t size() const;
  /// Whether the eviction of the pod violates a budget. Charges the eviction to the budgets that
  /// select the pod, up to the first that has no disruption left. A pod that a budget lists as
  /// disrupted already is not charged again.
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
