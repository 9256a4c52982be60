// SPDX-License-Identifier: Apache-2.0
// Makes room for pods and groups that fit nowhere, as upstream's PostFilter does: deallocates
// claims that are in their way and that no other pod uses, and evicts less important pods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "client/client.h"
#include "scheduler/classic/used_claims.h"
#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/cycle/unschedulable.h"
#include "scheduler/groups/group_attempt.h"
#include "scheduler/groups/group_preemption.h"
#include "scheduler/preemption/preemption.h"
#include "scheduler/reports/pod_writes.h"
#include "scheduler/reports/reporter.h"
#include "scheduler/reports/scheduler_metrics.h"

namespace dray::scheduler {

/// The result of making room for a pod.
struct PodRoom {
  GivenUp given_up = GivenUp::kNothing;
  std::optional<api::Object> freed;  // a claim that was deallocated, as stored
};

/// The result of making room for a group, with the evictions that the caller must do.
struct GroupRoom {
  std::string message;                 // for the group's condition
  std::vector<api::Object> freed;      // claims that were deallocated, as stored
  std::vector<PodOnNode> victims;      // to evict
  std::vector<std::string> nominated;  // a node per member, where there will be room; or empty
};

/// Writes to the server, but does not update the cluster cache. The caller does that
/// (UsedClaims::Assume) once the pod waits in the queue again, so that the change wakes it. Not
/// thread-safe.
class Evictor {
 public:
  /// All members must outlive the Evictor.
  struct Uses {
    client::Client& client;
    const Clock& clock;
    const Log& log;
    ClusterCache& cluster;
    UsedClaims& claims;
    Reporter& reporter;
    SchedulerMetrics* metrics;  // null: no metrics
  };
  /// kShared: pods of a group may share claims (DRAWorkloadResourceClaims).
  enum class GroupClaims : uint8_t { kOfPods, kShared };

  Evictor(const Uses& uses, GroupClaims group_claims) : uses_(uses), group_claims_(group_claims) {}

  /// Deallocates a claim that is in the way of the pod and that no other pod uses. Errors: those of
  /// the API.
  Result<PodRoom> MakeRoom(const Unschedulable& result,
                           std::span<const api::Object> claims,
                           const api::Object& pod);
  /// The same for a group, like upstream's PodGroupPostFilter. Looks for victims if that takes
  /// nothing from the group's own users. `scheduled` pods of the group have a node; `questions`
  /// test whether the group fits without victims.
  GroupRoom MakeRoomForGroup(const api::Object& group,
                             std::span<const GroupMember> members,
                             const GroupOutcome& outcome,
                             size_t scheduled,
                             const GroupQuestions& questions);

  /// Evicts the victims: stores the reason in each pod, deletes it, and records an event. `place`:
  /// a node, or "cluster".
  void Evict(std::span<const PodOnNode> victims,
             const Preemptor& preemptor,
             std::string_view place);

 private:
  std::vector<api::Object> FreeClaimsOf(const api::Object& group,
                                        std::span<const GroupMember> members,
                                        const GroupOutcome& outcome,
                                        size_t scheduled);
  std::optional<api::Object> UnreserveOneOf(const api::Object& group,
                                            std::span<const GroupMember> members);

  const Uses uses_;
  const GroupClaims group_claims_;
};

}  // namespace dray::scheduler
