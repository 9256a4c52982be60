// SPDX-License-Identifier: Apache-2.0
// Which pods to evict, anywhere in the cluster, so that a group fits (KEP-5710).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/cluster/pod_groups.h"
#include "scheduler/groups/group_attempt.h"
#include "scheduler/groups/group_trial.h"
#include "scheduler/preemption/preemption.h"

namespace dray::scheduler::inline groups {

/// How to test whether the group fits once pods are removed.
struct GroupQuestions {
  /// Looks for places for all members.
  std::function<GroupOutcome()> place;
  /// Decides about one member.
  DecideMember decide;
  size_t first_node = 0;  // the first node of a search
};

struct GroupPreemption {
  std::string message;                 // the result, in upstream's words
  std::vector<PodOnNode> victims;      // to evict
  std::vector<std::string> nominated;  // a node per member, where there will be room; or empty
};

/// Removes all pods that are less important than the group, places the group, and adds the pods
/// back one by one as long as each member still fits where it was placed. The rest are the victims.
/// Leaves `cluster` unchanged. `members` is not empty. Cost: one trial for each less important pod.
GroupPreemption PreemptForGroup(ClusterCache& cluster,
                                const PodGroup& group,
                                std::span<const GroupMember> members,
                                const GroupQuestions& questions);

}  // namespace dray::scheduler::inline groups
