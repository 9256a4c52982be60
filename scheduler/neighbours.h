// SPDX-License-Identifier: Apache-2.0
// The pods that are on nodes already, as rules about other pods see them.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/meta_v1/label_selector.h"
#include "api/selectors/label_selector.h"

namespace dray::scheduler {

/// A pod and the node it is, or is about to be, on. Both outlive this.
struct Neighbour {
  const api::core_v1::Pod* pod;
  const api::core_v1::Node* node;
};

/// Asked for only when a rule needs them. What is not set is none.
struct Neighbours {
  /// All pods on nodes. O(pods).
  std::function<std::vector<Neighbour>()> all = {};
  /// Those with rules about other pods. O(such pods).
  std::function<std::vector<Neighbour>()> with_affinity = {};
  /// The labels of those that belong with a pod; without parts: it is alone.
  std::function<api::meta_v1::LabelSelector(const api::core_v1::Pod& pod)> collection_of = {};
  /// The labels of a namespace; null: there is none.
  std::function<const api::Labels*(std::string_view name)> labels_of_namespace = {};
};

}  // namespace dray::scheduler
