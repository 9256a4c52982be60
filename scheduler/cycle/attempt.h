// SPDX-License-Identifier: Apache-2.0
// One attempt to find a node for a pod in the cluster as it is known. The scheduler uses it to
// bind, planning to predict what the scheduler would do.
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
#include "scheduler/cycle/node_verdicts.h"
#include "scheduler/cycle/placed_so_far.h"

namespace dray::scheduler::inline cycle {

/// How to decide about a pod of a group.
struct AsMember {
  const PlacedSoFar* placed = nullptr;   // the pods of its group that are placed already
  const NodeState* only_node = nullptr;  // null: all nodes
  const Domain* domain = nullptr;        // null: all nodes
  DeviceSearch search = {};              // not set: the allocator's
};

struct AttemptOptions {
  /// The profile that the pod names.
  const Profile& profile;
  /// For each search; its `work` is that of the whole attempt.
  allocator::Budget budget = {};
  CycleOptions cycle = {};
  WallTime now = {};
  /// The index of the first node to try, unless the pod is nominated for one.
  size_t first_node = 0;
  AsMember member = {};
  /// The pod's claims that the device search does not handle; null: there are none.
  const OtherClaims* others = nullptr;
  /// Those of the cluster cache; null: nothing is kept for later attempts.
  NodeVerdicts* verdicts = nullptr;
  bool too_much_is_unresolvable = true;  // ClusterView::too_much_is_unresolvable
};

/// Finds a node for the pod: Decide (cycle.h) with all that the cluster cache knows. `claims` are
/// all its claims, from ResolveClaims. Changes nothing in the cluster.
Decision TryPod(ClusterCache& cluster,
                const api::core_v1::Pod& pod,
                std::span<const api::Object> claims,
                const AttemptOptions& options);

/// For each candidate node, in name order, why it is rejected before devices are considered
/// (Objections in cycle.h); empty: it may fit.
std::vector<std::string> NodeObjections(ClusterCache& cluster,
                                        const api::core_v1::Pod& pod,
                                        std::span<const api::Object> claims,
                                        const AttemptOptions& options);

}  // namespace dray::scheduler::inline cycle
