// SPDX-License-Identifier: Apache-2.0
// What the scheduler's objections to nodes leave out: which taint, which selector, how much is
// missing.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "planning/explanation.h"
#include "planning/offline_objects.h"
#include "scheduler/node_filter.h"

namespace dray::planning {

/// Keeps the objects that it needs.
class ObjectionDetails {
 public:
  explicit ObjectionDetails(const OfflineObjects& objects);

  /// Adds details to the groups of nodes that are out of the question for the pod
  /// ("pod namespace/name"). O(nodes × taints).
  void Mark(const std::string& what, Explanation& explanation) const;

 private:
  using Nodes = std::vector<const scheduler::NodeState*>;

  std::string DetailOf(const api::core_v1::Pod& pod,
                       std::string_view reason,
                       const Nodes& nodes) const;
  static std::string Taints(const api::core_v1::Pod& pod, const Nodes& nodes);
  static std::string Selection(const api::core_v1::Pod& pod);
  static std::string Shortage(const api::core_v1::Pod& pod,
                              const std::string& resource,
                              const Nodes& nodes);

  std::map<std::string, api::Object, std::less<>> pods_;  // by namespace/name
  std::map<std::string, scheduler::NodeState, std::less<>> nodes_;
};

}  // namespace dray::planning
