// SPDX-License-Identifier: Apache-2.0
// The requirements of a pod on a node, read once per attempt, and the answers of plugins.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/core_v1/node_selector.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/taint.h"
#include "api/selectors/node_selector_match.h"
#include "scheduler/cluster/node_state.h"

namespace dray::scheduler::inline plugins {

/// A selector of nodes, and the same parsed.
struct ParsedSelector {
  api::core_v1::NodeSelector written;
  api::NodeSelector parsed;

  bool operator==(const ParsedSelector& other) const { return written == other.written; }
};

/// The requirements of a pod on a node, whatever other pods and nodes there are. Pods with equal
/// ones fit on the same nodes as far as these requirements go.
struct NodeNeeds {
  std::string node_name;  // the only node that it may go to; empty: any
  api::Map<std::string> node_selector;
  std::optional<ParsedSelector> affinity;
  api::List<api::core_v1::Toleration> tolerations;
  Amounts requests;
  Presumed presumed;
  std::vector<HostPort> ports;
  /// Extended resources that a device class serves. FilterNode skips them on nodes without such
  /// resources of their own.
  std::set<std::string, std::less<>> of_classes;
  /// Whether a request above the node's allocatable amount is unresolvable by eviction. Up to 1.31
  /// it was treated like any other lack.
  bool too_much_is_unresolvable = true;

  bool operator==(const NodeNeeds& other) const = default;
};

/// The requirements of a pod, with its selectors parsed once per attempt.
struct PodNeeds : NodeNeeds {
  const api::core_v1::Pod* pod;  // must outlive this
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
std::set<std::string, std::less<>> ServedByDevices(const NodeNeeds& needs, const NodeState& state);

}  // namespace dray::scheduler::inline plugins
