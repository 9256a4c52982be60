// SPDX-License-Identifier: Apache-2.0
// What rules of a pod about nodes and other pods say, for people who read that a node breaks one.
#pragma once

#include <string>
#include <string_view>

#include "api/core_v1/pod.h"

namespace dray::planning::inline explain {

/// What the pod asks for where a node is ruled out with `reason`, in the scheduler's words: host
/// ports, affinity to other pods, topology spread, a node by name. Of a cordoned node how it is
/// opened. Empty for other reasons.
std::string RuleDetail(const api::core_v1::Pod& pod, std::string_view reason);

}  // namespace dray::planning::inline explain
