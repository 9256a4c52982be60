// SPDX-License-Identifier: Apache-2.0
// Taints of nodes and the tolerations of pods: upstream's plugin TaintToleration.
#pragma once

#include <span>

#include "api/core_v1/node.h"
#include "api/core_v1/taint.h"

namespace dray::scheduler::inline plugins {

/// Whether one of a pod's tolerations tolerates the taint.
bool IsTolerated(const api::core_v1::Taint& taint,
                 std::span<const api::core_v1::Toleration> tolerations);
/// Whether the node has a NoSchedule or NoExecute taint that none of the tolerations tolerates.
bool HasForbiddingTaint(const api::core_v1::Node& node,
                        std::span<const api::core_v1::Toleration> tolerations);

}  // namespace dray::scheduler::inline plugins
