// SPDX-License-Identifier: Apache-2.0
// Who may have to go for a more important pod: pods alone, and groups that are disrupted as a whole
// (KEP-5710). A pod of a group is as important as its group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/preemption/preemption.h"

namespace dray::scheduler::inline preemption {

/// False: nobody in the cluster is less important.
bool MayHaveVictims(const ClusterCache& cluster, int32_t priority);

/// The pods of a node that are less important, with those that go with them. Valid until the next
/// change of the cluster, as are those below.
std::vector<Victim> VictimsOn(const ClusterCache& cluster,
                              const std::string& node,
                              int32_t priority);

/// Those on any node, the most important first. O(pods).
std::vector<Victim> VictimsAnywhere(const ClusterCache& cluster, int32_t priority);

}  // namespace dray::scheduler::inline preemption
