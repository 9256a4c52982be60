// SPDX-License-Identifier: Apache-2.0
// Candidates for eviction: single pods, and groups that are disrupted as a whole (KEP-5710). A pod
// of such a group has the priority of its group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/preemption/preemption.h"

namespace dray::scheduler::inline preemption {

/// False: no pod in the cluster is less important.
bool MayHaveVictims(const ClusterCache& cluster, int32_t priority);

/// The less important pods of a node, with the pods that are evicted with them. Valid until the
/// next change of the cluster, like the result of VictimsAnywhere.
std::vector<Victim> VictimsOn(const ClusterCache& cluster,
                              const std::string& node,
                              int32_t priority);

/// Those on all nodes, the most important first. O(pods).
std::vector<Victim> VictimsAnywhere(const ClusterCache& cluster, int32_t priority);

}  // namespace dray::scheduler::inline preemption
