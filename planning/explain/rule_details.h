// SPDX-License-Identifier: Apache-2.0
// Descriptions of a pod's rules about nodes and other pods, for users whose pod is rejected by one.
#pragma once

#include <string>
#include <string_view>

#include "api/core_v1/pod.h"

namespace dray::planning::inline explain {

/// The pod's rule behind `reason`, which is in the scheduler's words: host ports, affinity to other
/// pods, topology spread, a node by name. For a cordoned node, how to uncordon it. Empty for other
/// reasons.
std::string RuleDetail(const api::core_v1::Pod& pod, std::string_view reason);

}  // namespace dray::planning::inline explain
