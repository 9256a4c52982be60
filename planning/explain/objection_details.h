// SPDX-License-Identifier: Apache-2.0
// Details for the scheduler's objections to nodes: which taint, which selector, how much is
// missing.
#pragma once

#include <span>

#include "api/core_v1/pod.h"
#include "planning/explain/explanation.h"
#include "scheduler/cluster/node_state.h"

namespace dray::planning::inline explain {

/// Adds details to the groups of nodes with objections to the pod. `nodes`: the candidate nodes
/// with their use. O(nodes × (log nodes + taints)).
void AddObjectionDetails(const api::core_v1::Pod& pod,
                         std::span<const scheduler::NodeState* const> nodes,
                         Explanation& explanation);

}  // namespace dray::planning::inline explain
