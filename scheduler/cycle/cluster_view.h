// SPDX-License-Identifier: Apache-2.0
// The input of one attempt to find a node for a pod: the cluster, and options of the search.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/taint.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "base/frozen.h"
#include "base/result.h"
#include "base/world.h"
#include "dray/allocator.h"
#include "scheduler/cluster/extended_resources.h"
#include "scheduler/cluster/neighbours.h"
#include "scheduler/cluster/node_allocatable.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/cycle/node_verdicts.h"
#include "scheduler/plugins/spread_defaults.h"
#include "scheduler/plugins/volumes.h"
#include "scheduler/preemption/preemption.h"

namespace dray::scheduler::inline cycle {

/// Allocates devices of a node for the claims of a pod: allocator::Attempt::Allocate.
using DevicesOnNode = std::function<Result<allocator::Outcome>(const api::core_v1::Node& node)>;
/// Begins a search for devices for claims (allocator::Attempt), which is then called node by node.
using DeviceSearch =
    std::function<DevicesOnNode(std::span<const Frozen<api::resource_v1::ResourceClaim>> claims)>;

/// Claims of the pod that the device search does not handle.
struct OtherClaims {
  /// Why these claims reject the node; empty: they do not.
  std::function<std::string(const api::core_v1::Node& node)> objection;
};

/// The cluster as one attempt sees it.
struct ClusterView {
  std::span<const NodeState* const> nodes;  // in name order
  /// The nodes that rules about other pods consider; empty: `nodes`.
  std::span<const NodeState* const> neighbourhood = {};
  size_t first_node = 0;  // where the search begins
  /// The only candidate. Rules about other pods still consider the other nodes.
  std::optional<size_t> only_node = {};
  std::function<bool(std::string_view claim_uid)> in_flight;
  std::function<bool(std::string_view name)> has_class;
  DeviceSearch search;
  WallTime now = {};
  /// Not set: no device class serves extended resources.
  ClassOfResource class_of = {};
  /// The less important pods of a node, with the pods that are evicted with them. Not set: nothing
  /// is evicted.
  std::function<std::vector<Victim>(const std::string& node)> victims_on = {};
  /// The disruption budgets of the cluster. Not set: none.
  std::function<DisruptionBudgets()> budgets = {};
  /// For rules about other pods.
  Neighbours neighbours = {};
  /// The pod's volumes; null: they restrict no node.
  const VolumeNeeds* volumes = nullptr;
  /// For pods without spread constraints; null: such pods are not spread.
  const SpreadDefaults* spread_defaults = nullptr;
  /// Not set: devices take no resources of their nodes.
  NodeAllocatableDevice node_allocatable = {};
  /// A claim that an earlier attempt made for the pod's extended resources, or null. If the pod
  /// needs such resources, this claim must be deleted first.
  const api::Object* left_over = nullptr;
  /// Set: all nodes are filtered, and Placement::fitting names those that fit.
  const OtherClaims* other_claims = nullptr;
  /// PodInAttempt::soft_taints.
  std::span<const api::core_v1::Taint> soft_taints = {};
  /// What earlier attempts found out about these nodes; null: nothing is kept.
  NodeVerdicts* verdicts = nullptr;
  bool too_much_is_unresolvable = true;  // PodNeeds::too_much_is_unresolvable
};

struct CycleOptions {
  /// Up to this many nodes, all nodes are filtered, as upstream does, so an expression that fails
  /// on one of them is reported even if another node fits. In larger clusters devices are searched
  /// on the best node first, and the first node that has them wins. All nodes are still searched if
  /// scores compare the fitting nodes with each other, or if devices have a score.
  size_t filter_all_nodes_max = 8;
  /// The timeout for devices to get ready (KEP-5007). Absent: there are no binding conditions.
  std::optional<std::chrono::nanoseconds> binding_timeout = {};
};

}  // namespace dray::scheduler::inline cycle
