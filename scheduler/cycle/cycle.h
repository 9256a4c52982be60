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

/// The claim to create for extended resources, with its devices. Until it is created,
/// kExtendedClaimName stands for its name.
struct ExtendedPlacement {
  api::resource_v1::ResourceClaim claim;
  std::vector<api::core_v1::ContainerExtendedResourceRequest> mappings;
  api::resource_v1::AllocationResult allocation;
};

/// A place for the pod. One entry per claim: the allocation to write, or nothing for a claim that
/// at most needs a reservation.
struct Placement {
  std::string node;
  std::vector<api::Maybe<api::resource_v1::AllocationResult>> allocations;
  std::optional<ExtendedPlacement> extended;
  NodeAllocatableStatuses taken;          // of the node, by devices
  size_t next_first_node = 0;             // for the next attempt: nodes take turns
  std::vector<std::string> fitting = {};  // see ClusterView::other_claims; in name order
};

using Decision = std::variant<Placement, Unschedulable, AttemptFailed>;

/// Decides where `pod` goes. `claims` are all its claims, from ResolveClaims.
///
/// Filters nodes in name order from view.first_node on, cyclically, until as many fit as upstream
/// compares. The node with the best score wins; of equal ones the first. The result is
/// deterministic, and equal nodes take turns. A pod that is nominated for the first node gets that
/// node if it fits. Cost: the filters, and device searches until one succeeds, or on all nodes if
/// CycleOptions require that. Source: spec of kube-scheduler's default plugins.
Decision Decide(const api::core_v1::Pod& pod,
                std::span<const api::Object> claims,
                const ClusterView& view,
                const CycleOptions& options);

/// For each of view.nodes, in the scheduler's words, why it is rejected whatever devices it has;
/// empty: it may fit. O(nodes × (rules + allocated claims)).
std::vector<std::string> Objections(const api::core_v1::Pod& pod,
                                    std::span<const api::Object> claims,
                                    const ClusterView& view,
                                    const CycleOptions& options);

}  // namespace dray::scheduler::inline cycle
