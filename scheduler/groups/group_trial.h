// SPDX-License-Identifier: Apache-2.0
// One attempt to find nodes for all pods of a group in the cluster as it is known. The scheduler
// uses it to bind, planning to predict what the scheduler would do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "dray/budget.h"
#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/cluster/pod_groups.h"
#include "scheduler/cycle/attempt.h"
#include "scheduler/cycle/cycle.h"
#include "scheduler/cycle/pod_claims.h"
#include "scheduler/groups/group_attempt.h"

namespace dray::scheduler::inline groups {

/// The pods of a group.
struct GroupState {
  std::vector<const api::Object*> waiting;    // in the order in which they are placed
  std::vector<const api::Object*> scheduled;  // or assumed on a node
  bool is_gated = false;                      // one of `waiting` has a scheduling gate

  bool IsComplete(const PodGroup& group) const {
    return static_cast<int64_t>(waiting.size() + scheduled.size()) >= MinCountOf(group);
  }
};

/// `is_ours`: whether the caller schedules a pod without a node. Valid until the next change.
GroupState GroupStateOf(const ClusterCache& cluster,
                        std::string_view group_key,
                        const std::function<bool(const api::core_v1::Pod& pod)>& is_ours);

/// The waiting pods with their claims; or why one of them must wait for its claims. `can_share`:
/// pods of a group may share claims (DRAWorkloadResourceClaims).
std::variant<std::vector<GroupMember>, Gated> MembersOf(const ClusterCache& cluster,
                                                        const GroupState& state,
                                                        const PodGroup& group,
                                                        bool can_share);

/// Decides about one member: TryPod.
using DecideMember = std::function<Decision(
    const api::core_v1::Pod& pod, std::span<const api::Object> claims, const AsMember& member)>;

struct GroupTrialOptions {
  DecideMember decide;
  allocator::Budget budget = {};  // for a search that places several pods together
  size_t first_node = 0;
  /// Groups may require nodes of one topology domain (TopologyAwareWorkloadScheduling).
  bool has_topology = false;
};

/// Finds places for the members; `scheduled` pods of their group have one. Leaves `cluster`
/// unchanged.
GroupOutcome TryGroup(ClusterCache& cluster,
                      const PodGroup& group,
                      std::span<const GroupMember> members,
                      size_t scheduled,
                      const GroupTrialOptions& options);

/// Why a member is not placed, in upstream's words; absent: it is placed.
std::optional<std::string> WhyNotPlaced(const GroupOutcome& outcome, size_t member);

}  // namespace dray::scheduler::inline groups
