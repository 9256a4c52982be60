// SPDX-License-Identifier: Apache-2.0
// The pods that are on nodes already, as rules about other pods see them.
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

/// A pod and the node it is, or is about to be, on. All outlive this.
struct Neighbour {
  const api::core_v1::Pod* pod;
  const api::core_v1::Node* node;
  const AffinityRules* rules = nullptr;  // of the pod; null: it has none, or they are not read yet
};

/// Asked for only when a rule needs them. What is not set is none.
struct Neighbours {
  /// All pods on nodes. O(pods).
  std::function<std::vector<Neighbour>()> all = {};
  /// Those with rules about other pods that may be about this one, and possibly more. O(those).
  std::function<std::vector<Neighbour>(const api::core_v1::Pod& pod)> with_rules_about = {};
  /// The labels of those that belong with a pod; without parts: it is alone.
  std::function<api::meta_v1::LabelSelector(const api::core_v1::Pod& pod)> collection_of = {};
  /// The labels of a namespace; null: there is none.
  std::function<const api::Labels*(std::string_view name)> labels_of_namespace = {};
  /// What looking at them may take, and the rest of the attempt; null: anything. When it is spent
  /// nothing more is counted, and what is answered must not be used.
  allocator::SharedWork* work = nullptr;

  /// Counts `units`; false: no more may be done.
  bool MayGoOn(uint64_t units) const {
    if (work == nullptr) return true;
    work->Charge(units);
    return !work->is_spent();
  }
};

}  // namespace dray::scheduler::inline cluster
