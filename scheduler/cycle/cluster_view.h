// SPDX-License-Identifier: Apache-2.0
// What one attempt to find a node for a pod is told of the cluster, and how it goes about it.
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
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "base/published.h"
#include "base/result.h"
#include "base/world.h"
#include "dray/allocator.h"
#include "scheduler/cluster/extended_resources.h"
#include "scheduler/cluster/neighbours.h"
#include "scheduler/cluster/node_allocatable.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/plugins/spread_defaults.h"
#include "scheduler/plugins/volumes.h"
#include "scheduler/preemption/preemption.h"

namespace dray::scheduler::inline cycle {

/// What a node has for the claims of a pod: allocator::Attempt::Allocate.
using DevicesOnNode = std::function<Result<allocator::Outcome>(const api::core_v1::Node& node)>;
/// Begins to look for devices for claims (allocator::Attempt), which is asked about node by node.
using DeviceSearch =
    std::function<DevicesOnNode(std::span<const Frozen<api::resource_v1::ResourceClaim>> claims)>;

/// Claims of the pod that the search knows nothing of.
struct OtherClaims {
  /// Why they keep the pod from the node; empty: they do not.
  std::function<std::string(const api::core_v1::Node& node)> objection;
};

/// The cluster as one attempt sees it.
struct ClusterView {
  std::span<const NodeState* const> nodes;  // in name order
  /// Those that rules about other pods know; empty: the same.
  std::span<const NodeState* const> neighbourhood = {};
  size_t first_node = 0;  // where the search begins
  /// The only one that is looked at. Rules about other pods know the others.
  std::optional<size_t> only_node = {};
  std::function<bool(std::string_view claim_uid)> in_flight;
  std::function<bool(std::string_view name)> has_class;
  DeviceSearch search;
  WallTime now = {};
  /// Not set: extended resources are the nodes' own.
  ClassOfResource class_of = {};
  /// The pods of a node that are less important than ours, with those that go with them. Not set:
  /// nobody is evicted.
  std::function<std::vector<Victim>(const std::string& node)> victims_on = {};
  /// The disruption budgets there are. Not set: none.
  std::function<DisruptionBudgets()> budgets = {};
  /// For rules about other pods.
  Neighbours neighbours = {};
  /// Of the pod; null: it has none that matter.
  const VolumeNeeds* volumes = nullptr;
  /// For pods that say nothing about it; null: they are not spread.
  const SpreadDefaults* spread_defaults = nullptr;
  /// Not set: devices take nothing of their nodes.
  NodeAllocatableDevice node_allocatable = {};
  /// The claim that an earlier attempt made for the pod's extended resources, or null. Where such
  /// resources are needed it is in the way, and must be deleted first.
  const api::Object* left_over = nullptr;
  /// Set: all nodes are filtered, and Placement::fitting names those that do.
  const OtherClaims* other_claims = nullptr;
  bool tells_too_much = true;  // PodNeeds::tells_too_much
};

struct CycleOptions {
  /// In clusters of up to this many nodes all are filtered, as upstream does; so an expression that
  /// fails on one of them is reported even when another would do. In bigger clusters nodes are
  /// asked for devices from the best on, and the first that has them wins; except where scores
  /// compare the nodes that do with each other, or devices have a score.
  size_t filter_all_nodes_max = 8;
  /// How long devices may take to get ready (KEP-5007). None: there are no binding conditions.
  std::optional<std::chrono::nanoseconds> binding_timeout = {};
};

}  // namespace dray::scheduler::inline cycle
