// SPDX-License-Identifier: Apache-2.0
// Which pods must go so that the pods of a group have room, anywhere in the cluster (KEP-5710).
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

/// How it is tried whether the group fits in the cluster as it is left.
struct GroupQuestions {
  /// Looks for places for all members.
  std::function<GroupOutcome()> place;
  /// Decides about one member.
  DecideMember decide;
  size_t first_node = 0;  // where a search begins
};

struct GroupPreemption {
  std::string message;                 // what was found, in upstream's words
  std::vector<PodOnNode> victims;      // must go
  std::vector<std::string> nominated;  // per member, where there will be room; or none at all
};

/// Takes all pods away that are less important than the group, places the group, and gives the pods
/// back one by one, as long as each member still fits where it was placed. The cluster is
/// afterwards as it was. `members` is not empty. Cost: as many questions as there are less
/// important pods.
GroupPreemption PreemptForGroup(ClusterCache& cluster,
                                const PodGroup& group,
                                std::span<const GroupMember> members,
                                const GroupQuestions& questions);

}  // namespace dray::scheduler::inline groups
