// SPDX-License-Identifier: Apache-2.0
// Whether a pod may run on a node, devices aside: cordons, names, taints, affinity, resources.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/selectors/node_selector_match.h"
#include "scheduler/cluster/node_state.h"

namespace dray::scheduler::inline plugins {

/// The best score of a node by one rule.
inline constexpr int64_t kScoreMax = 100;

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

bool ToleratesAny(const api::core_v1::Pod& pod, const api::core_v1::Taint& taint);
/// Whether the node has a taint against new pods that this one does not tolerate.
bool HasForbiddingTaint(const api::core_v1::Pod& pod, const api::core_v1::Node& node);
/// Whether the node is of those that the pod selects.
bool MatchesAffinity(const PodNeeds& needs, const api::core_v1::Node& node);

/// Upstream's filters in upstream's order; the first that objects gives the reasons. A node that
/// says nothing about allocatable resources has no limits.
std::optional<Rejection> FilterNode(const PodNeeds& needs, const NodeState& state);

/// Whether the pod fits with what its devices take of the node: for processors, memory, storage and
/// huge pages. What it asks for itself has been seen to by FilterNode.
std::optional<Rejection> FilterTaken(
    const api::core_v1::Pod& pod,
    std::span<const api::core_v1::NodeAllocatableResourceClaimStatus> taken,
    const NodeState& state);

/// Those of PodNeeds::of_classes that devices must serve on this node, because it has none.
std::set<std::string, std::less<>> ServedByDevices(const PodNeeds& needs, const NodeState& state);

}  // namespace dray::scheduler::inline plugins
