// SPDX-License-Identifier: Apache-2.0
// One attempt to find a node for a pod in the cluster as it is known: what the scheduler does, and
// what everybody asks who wants to know what it would do.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "base/world.h"
#include "dray/budget.h"
#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/cluster/domain.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/configuration/configuration.h"
#include "scheduler/cycle/cluster_view.h"
#include "scheduler/cycle/cycle.h"
#include "scheduler/cycle/placed_so_far.h"

namespace dray::scheduler::inline cycle {

/// How a pod of a group is looked at.
struct AsMember {
  const PlacedSoFar* placed = nullptr;   // the pods of its group that are placed already
  const NodeState* only_node = nullptr;  // null: all of them
  const Domain* domain = nullptr;        // only its nodes; null: all of them
  DeviceSearch search = {};              // not set: the usual one
};

struct AttemptOptions {
  /// The one that the pod asks for.
  const Profile& profile;
  /// Of each search; its `work` is that of the whole attempt.
  allocator::Budget budget = {};
  CycleOptions cycle = {};
  WallTime now = {};
  /// Where the nodes begin, unless the pod is nominated for one.
  size_t first_node = 0;
  AsMember member = {};
  /// What the pod has beside the claims that are searched for; null: nothing.
  const OtherClaims* others = nullptr;
  bool tells_too_much = true;  // ClusterView::tells_too_much
};

/// Where the pod goes, or why nowhere: Decide (cycle.h) with all that the cluster knows. `claims`
/// are all its claims, from ResolveClaims. Nothing is taken.
Decision TryPod(ClusterCache& cluster,
                const api::core_v1::Pod& pod,
                std::span<const api::Object> claims,
                const AttemptOptions& options);

/// For each node that comes into question, in name order, why it does not do, whatever devices it
/// has to give (Objections in cycle.h); empty: it may do.
std::vector<std::string> NodeObjections(ClusterCache& cluster,
                                        const api::core_v1::Pod& pod,
                                        std::span<const api::Object> claims,
                                        const AttemptOptions& options);

}  // namespace dray::scheduler::inline cycle
