// SPDX-License-Identifier: Apache-2.0
// What the scheduler's objections to nodes leave out: which taint, which selector, how much is
// missing.
#pragma once

#include <span>

#include "api/core_v1/pod.h"
#include "planning/explain/explanation.h"
#include "scheduler/cluster/node_state.h"

namespace dray::planning::inline explain {

/// Adds details to the groups of nodes that are out of the question for the pod. `nodes`: those
/// that were looked at, with what is used of them. O(nodes × (log nodes + taints)).
void AddObjectionDetails(const api::core_v1::Pod& pod,
                         std::span<const scheduler::NodeState* const> nodes,
                         Explanation& explanation);

}  // namespace dray::planning::inline explain
