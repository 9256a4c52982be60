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

/// The best score of a node by one rule.
inline constexpr int64_t kScoreMax = 100;

/// Amounts by resource name; cpu in thousandths, everything else in its unit.
using Amounts = std::map<std::string, int64_t, std::less<>>;

inline int64_t AmountIn(const Amounts& amounts, std::string_view name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? 0 : found->second;
}

/// Processors (thousandths) and memory (bytes) as scores count them: of containers that ask for
/// none 100m and 200Mi are presumed, so that they are spread too.
struct Presumed {
  int64_t cpu = 0;
  int64_t memory = 0;
};

/// A port of the node that a pod wants for itself.
struct HostPort {
  std::string protocol;
  int32_t port;
  std::string ip;  // 0.0.0.0: all of the node
  auto operator<=>(const HostPort&) const = default;
};

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

/// The largest sum of requests at any moment of the pod's life: init containers run one after the
/// other, those that restart (sidecars) stay; overhead counts. Limits stand in for requests. What
/// devices take of the node (`taken`) is taken all the time.
Amounts RequestsOf(const api::core_v1::Pod& pod,
                   std::span<const api::core_v1::NodeAllocatableResourceClaimStatus> taken = {});

Presumed PresumedOf(const api::core_v1::Pod& pod);
std::vector<HostPort> HostPortsOf(const api::core_v1::Pod& pod);

/// A node and what its pods have asked for already.
struct NodeState {
  api::Object node;
  Amounts allocatable;
  Amounts requested;
  int64_t pods = 0;
  Presumed presumed = {};
  std::map<HostPort, int64_t> ports = {};  // how many pods have each

  const api::core_v1::Node& value() const { return node.As<api::core_v1::Node>(); }
};

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

/// The amounts of a node's allocatable resources.
Amounts AllocatableOf(const api::core_v1::Node& node);

}  // namespace dray::scheduler
