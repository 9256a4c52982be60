// SPDX-License-Identifier: Apache-2.0
// The pods on nodes, as affinity and spreading rules of other pods see them.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/meta_v1/label_selector.h"
#include "api/selectors/label_selector.h"
#include "dray/budget.h"
#include "scheduler/cluster/affinity_rules.h"

namespace dray::scheduler::inline cluster {

/// A pod and its node, assumed pods included. The objects must outlive this.
struct Neighbour {
  const api::core_v1::Pod* pod;
  const api::core_v1::Node* node;
  const AffinityRules* rules = nullptr;  // null: the pod has none, or they are not read yet
};

/// Callbacks that run only when a rule needs them. A callback that is not set finds nothing.
struct Neighbours {
  /// All pods on nodes. O(pods).
  std::function<std::vector<Neighbour>()> all = {};
  /// The pods whose rules may match `pod`, and possibly more. O(result).
  std::function<std::vector<Neighbour>(const api::core_v1::Pod& pod)> with_rules_about = {};
  /// A selector for the pods that belong with `pod`; empty: the pod is alone.
  std::function<api::meta_v1::LabelSelector(const api::core_v1::Pod& pod)> collection_of = {};
  /// The labels of a namespace; null: the namespace does not exist.
  std::function<const api::Labels*(std::string_view name)> labels_of_namespace = {};
  /// The budget of the attempt, which evaluation of the rules is charged to; null: unlimited. Once
  /// it is spent, the rules count no more pods and their results must not be used.
  allocator::SharedWork* work = nullptr;

  /// Charges `units`. False: the budget is spent.
  bool MayGoOn(uint64_t units) const {
    if (work == nullptr) return true;
    work->Charge(units);
    return !work->is_spent();
  }
};

}  // namespace dray::scheduler::inline cluster
