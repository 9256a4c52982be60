// SPDX-License-Identifier: Apache-2.0
// One attempt to find a node for a pod: a function of the pod, its claims and the cluster.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "base/published.h"
#include "base/result.h"
#include "base/world.h"
#include "dray/allocator.h"
#include "scheduler/extended_resources.h"
#include "scheduler/node_allocatable.h"
#include "scheduler/node_filter.h"
#include "scheduler/preemption.h"
#include "scheduler/queue.h"

namespace dray::scheduler {

/// What a node has for the claims of a pod: allocator::Attempt::Allocate.
using DevicesOnNode = std::function<Result<allocator::Outcome>(const api::core_v1::Node& node)>;
/// Begins to look for devices for claims (allocator::Attempt), which is asked about node by node.
using DeviceSearch =
    std::function<DevicesOnNode(std::span<const Frozen<api::resource_v1::ResourceClaim>> claims)>;

/// The cluster as one attempt sees it.
struct ClusterView {
  std::span<const NodeState* const> nodes;  // in name order
  size_t first_node = 0;                    // where the search begins
  std::function<bool(std::string_view claim_uid)> in_flight;
  std::function<bool(std::string_view name)> has_class;
  DeviceSearch search;
  WallTime now = {};
  /// Not set: extended resources are the nodes' own.
  ClassOfResource class_of = {};
  /// The pods of a node that are less important than ours. Not set: nobody is evicted.
  std::function<std::vector<PodOnNode>(const std::string& node)> pods_on = {};
  /// Not set: devices take nothing of their nodes.
  NodeAllocatableDevice node_allocatable = {};
  /// The claim that an earlier attempt made for the pod's extended resources, or null. Where such
  /// resources are needed it is in the way, and must be deleted first.
  const api::Object* left_over = nullptr;
};

struct CycleOptions {
  /// In clusters of up to this many nodes all are filtered, as upstream does; so an expression that
  /// fails on one of them is reported even when another would do. In bigger clusters the first that
  /// fits wins, except that with a prioritized list all are filtered, for the best choice.
  size_t filter_all_nodes_max = 8;
  /// How long devices may take to get ready (KEP-5007). None: there are no binding conditions.
  std::optional<std::chrono::nanoseconds> binding_timeout = {};
};

/// The claim to make for extended resources, with devices for it.
/// Until it is created, kExtendedClaimName stands for its name.
struct ExtendedPlacement {
  api::resource_v1::ResourceClaim claim;
  std::vector<api::core_v1::ContainerExtendedResourceRequest> mappings;
  api::resource_v1::AllocationResult allocation;
};

/// A place for the pod. One entry per claim: devices to allocate, or nothing for a claim that only
/// needs a reservation or not even that.
struct Placement {
  std::string node;
  std::vector<std::optional<api::resource_v1::AllocationResult>> allocations;
  std::optional<ExtendedPlacement> extended;
  NodeAllocatableStatuses taken;  // of the node, by devices
  size_t next_first_node = 0;     // where the next attempt begins: nodes take turns
};

/// The pod fits nowhere now.
struct Unschedulable {
  size_t nodes = 0;
  std::string claim_reason;  // about the pod's claims, whatever the node ("PreFilter"); or empty
  std::vector<std::string> node_reasons;  // one per node and reason
  size_t unresolvable_nodes = 0;          // evicting other pods would not help there
  /// One per reason and other node: why evicting pods does not help there either.
  std::vector<std::string> preemption_reasons;
  std::string not_preempting;              // why the pod may evict nobody; or empty
  std::optional<Preemption> preemption;    // whom to evict
  std::vector<size_t> unavailable_claims;  // allocated where the pod cannot go, sorted
  bool left_over_in_the_way = false;       // ClusterView::left_over
  WaitsFor waits_for;
};

/// Something is wrong with the pod's claims or the cluster, in upstream's words.
struct AttemptFailed {
  std::string message;
};

using Decision = std::variant<Placement, Unschedulable, AttemptFailed>;

/// Decides where `pod` goes. `claims` are all its claims, from ResolveClaims.
///
/// Nodes are filtered in name order from view.first_node on, round and round: deterministic, and
/// pods spread. Cost: nodes filtered × search. Source: spec of kube-scheduler's DynamicResources
/// plugin (PreFilter, Filter, Score).
Decision Decide(const api::core_v1::Pod& pod,
                std::span<const api::Object> claims,
                const ClusterView& view,
                const CycleOptions& options);

/// What was given up for a pod that fits nowhere.
enum class GivenUp : uint8_t { kNothing, kAllocation, kClaim };

/// Why the nodes do not do: "0/2 nodes are available: 2 cannot allocate all claims."
std::string ReasonsOf(const Unschedulable& result);
/// The text of condition and event: "0/2 nodes are available: 2 cannot allocate all claims.
/// preemption: …".
std::string MessageOf(const Unschedulable& result, GivenUp given_up = GivenUp::kNothing);

/// The claim to take back an allocation from so that the pod may fit: the first unavailable one
/// that nobody but this pod has reserved.
std::optional<size_t> ClaimToDeallocate(const Unschedulable& result,
                                        std::span<const api::Object> claims,
                                        std::string_view pod_uid);

}  // namespace dray::scheduler
