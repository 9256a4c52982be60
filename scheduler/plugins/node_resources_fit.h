// SPDX-License-Identifier: Apache-2.0
// Whether a node has room for a pod's requests: upstream's plugin NodeResourcesFit.
#pragma once

#include <optional>
#include <span>

#include "api/core_v1/pod.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/plugins/pod_needs.h"

namespace dray::scheduler::inline plugins {

/// Checks CPU, memory, storage and huge pages with the resources that the pod's devices take of the
/// node. FilterNode has checked the pod's own requests.
std::optional<Rejection> FilterTaken(
    const api::core_v1::Pod& pod,
    std::span<const api::core_v1::NodeAllocatableResourceClaimStatus> taken,
    const NodeState& state);

}  // namespace dray::scheduler::inline plugins
