// SPDX-License-Identifier: Apache-2.0
// Taints of nodes and the tolerations of pods: upstream's plugin TaintToleration.
#pragma once

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"

namespace dray::scheduler::inline plugins {

bool ToleratesAny(const api::core_v1::Pod& pod, const api::core_v1::Taint& taint);
/// Whether the node has a NoSchedule or NoExecute taint that the pod does not tolerate.
bool HasForbiddingTaint(const api::core_v1::Pod& pod, const api::core_v1::Node& node);

}  // namespace dray::scheduler::inline plugins
