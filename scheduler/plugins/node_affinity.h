// SPDX-License-Identifier: Apache-2.0
// The nodes that a pod selects: upstream's plugin NodeAffinity.
#pragma once

#include "api/core_v1/node.h"
#include "scheduler/plugins/pod_needs.h"

namespace dray::scheduler::inline plugins {

/// Whether the pod selects the node.
bool MatchesAffinity(const NodeNeeds& needs, const api::core_v1::Node& node);

}  // namespace dray::scheduler::inline plugins
