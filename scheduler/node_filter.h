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
#include "api/object.h"
#include "api/selectors/node_selector_match.h"

namespace dray::scheduler {

/// Amounts by resource name; cpu in thousandths, everything else in its unit.
using Amounts = std::map<std::string, int64_t, std::less<>>;

/// What a pod asks of a node, with its selectors parsed once per attempt.
struct PodNeeds {
  const api::core_v1::Pod* pod;  // outlives this
  Amounts requests;
  std::optional<api::NodeSelector> affinity;
  /// Extended resources that a class of devices serves: a node that has none of its own is not
  /// asked for them here.
  std::set<std::string, std::less<>> of_classes = {};
};

PodNeeds NeedsOf(const api::core_v1::Pod& pod);

/// The largest sum of requests at any moment of the pod's life: init containers run one after the
/// other, those that restart (sidecars) stay; overhead counts. Limits stand in for requests. What
/// devices take of the node (`taken`) is taken all the time.
Amounts RequestsOf(const api::core_v1::Pod& pod,
                   std::span<const api::core_v1::NodeAllocatableResourceClaimStatus> taken = {});

/// A node and what its pods have asked for already.
struct NodeState {
  api::Object node;
  Amounts allocatable;
  Amounts requested;
  int64_t pods = 0;

  const api::core_v1::Node& value() const { return node.As<api::core_v1::Node>(); }
};

/// Why a node does not do. `unresolvable`: evicting other pods could not help.
struct Rejection {
  std::vector<std::string> reasons;
  bool unresolvable = true;
};

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

/// The amounts of a node's allocatable resources.
Amounts AllocatableOf(const api::core_v1::Node& node);

}  // namespace dray::scheduler
