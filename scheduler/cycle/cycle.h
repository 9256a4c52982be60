// SPDX-License-Identifier: Apache-2.0
// One attempt to find a node for a pod: a function of the pod, its claims and the cluster.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "scheduler/cluster/node_allocatable.h"
#include "scheduler/cycle/cluster_view.h"
#include "scheduler/cycle/unschedulable.h"

namespace dray::scheduler::inline cycle {

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
  NodeAllocatableStatuses taken;          // of the node, by devices
  size_t next_first_node = 0;             // where the next attempt begins: nodes take turns
  std::vector<std::string> fitting = {};  // see ClusterView::other_claims; in name order
};

using Decision = std::variant<Placement, Unschedulable, AttemptFailed>;

/// Decides where `pod` goes. `claims` are all its claims, from ResolveClaims.
///
/// As many nodes as upstream compares are filtered in name order from view.first_node on, round and
/// round; the one with the best score wins, the first of equal ones: deterministic, and equal nodes
/// take turns. A pod that is nominated for the first node gets that, if it fits. Cost: nodes
/// filtered, and searches until one fits; for all of them where CycleOptions says so. Source: spec
/// of kube-scheduler's default plugins.
Decision Decide(const api::core_v1::Pod& pod,
                std::span<const api::Object> claims,
                const ClusterView& view,
                const CycleOptions& options);

/// For each of view.nodes, in the scheduler's words, why it does not do, whatever devices it has to
/// give; empty: it may do. Of all nodes; O(nodes × (rules + allocated claims)).
std::vector<std::string> Objections(const api::core_v1::Pod& pod,
                                    std::span<const api::Object> claims,
                                    const ClusterView& view,
                                    const CycleOptions& options);

}  // namespace dray::scheduler::inline cycle
