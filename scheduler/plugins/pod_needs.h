// SPDX-License-Identifier: Apache-2.0
// The requirements of a pod on a node, read once per attempt, and the answers of plugins.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/selectors/node_selector_match.h"
#include "scheduler/cluster/node_state.h"

namespace dray::scheduler::inline plugins {

/// The requirements of a pod on a node, with its selectors parsed once per attempt.
struct PodNeeds {
  const api::core_v1::Pod* pod;  // must outlive this
  Amounts requests;
  Presumed presumed;
  std::vector<HostPort> ports;
  std::optional<api::NodeSelector> affinity;
  /// Extended resources that a device class serves. FilterNode skips them on nodes without such
  /// resources of their own.
  std::set<std::string, std::less<>> of_classes = {};
  /// Whether a request above the node's allocatable amount is unresolvable by eviction. Up to 1.31
  /// it was treated like any other lack.
  bool too_much_is_unresolvable = true;
  /// The cost of filtering one node, in units of Work; it grows with the size of the pod's spec.
  uint64_t work_per_node = 0;
};

PodNeeds NeedsOf(const api::core_v1::Pod& pod);

/// Why a node is rejected. `unresolvable`: evicting other pods could not help.
struct Rejection {
  std::vector<std::string> reasons;
  bool unresolvable = true;
};

/// The elements of PodNeeds::of_classes that devices must serve on this node, because it has none.
std::set<std::string, std::less<>> ServedByDevices(const PodNeeds& needs, const NodeState& state);

}  // namespace dray::scheduler::inline plugins
