// SPDX-License-Identifier: Apache-2.0
// Whether a node has room for what a pod asks for: upstream's plugin NodeResourcesFit.
#pragma once

#include <optional>
#include <span>

#include "api/core_v1/pod.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/plugins/pod_needs.h"

namespace dray::scheduler::inline plugins {

/// Whether the pod fits with what its devices take of the node: for processors, memory, storage and
/// huge pages. What it asks for itself has been seen to by FilterNode.
std::optional<Rejection> FilterTaken(
    const api::core_v1::Pod& pod,
    std::span<const api::core_v1::NodeAllocatableResourceClaimStatus> taken,
    const NodeState& state);

}  // namespace dray::scheduler::inline plugins
