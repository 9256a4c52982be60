// SPDX-License-Identifier: Apache-2.0
// What a pod asks of a node, read once per attempt, and what plugins say of a node.
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

/// What a pod asks of a node, with its selectors parsed once per attempt.
struct PodNeeds {
  const api::core_v1::Pod* pod;  // outlives this
  Amounts requests;
  Presumed presumed;
  std::vector<HostPort> ports;
  std::optional<api::NodeSelector> affinity;
  /// Extended resources that a class of devices serves: a node that has none of its own is not
  /// asked for them here.
  std::set<std::string, std::less<>> of_classes = {};
  /// Evicting pods does not help where the pod asks for more than the node ever has. Up to 1.31
  /// that was a lack like any other.
  bool tells_too_much = true;
  /// What asking one node may take, in units of Work: it grows with what the pod says.
  uint64_t work_per_node = 0;
};

PodNeeds NeedsOf(const api::core_v1::Pod& pod);

/// Why a node does not do. `unresolvable`: evicting other pods could not help.
struct Rejection {
  std::vector<std::string> reasons;
  bool unresolvable = true;
};

/// Those of PodNeeds::of_classes that devices must serve on this node, because it has none.
std::set<std::string, std::less<>> ServedByDevices(const PodNeeds& needs, const NodeState& state);

}  // namespace dray::scheduler::inline plugins
