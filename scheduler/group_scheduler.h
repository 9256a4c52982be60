// SPDX-License-Identifier: Apache-2.0
// Schedules groups of pods: one attempt places all pods of a group that have no node, and binds all
// of them or none (KEP-4671).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "api/object.h"
#include "base/log.h"
#include "base/world.h"
#include "client/client.h"
#include "scheduler/bind/binder.h"
#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/cluster/cluster_feed.h"
#include "scheduler/cluster/pod_groups.h"
#include "scheduler/configuration/configuration.h"
#include "scheduler/cycle/decider.h"
#include "scheduler/evictor.h"
#include "scheduler/groups/group_attempt.h"
#include "scheduler/groups/group_preemption.h"
#include "scheduler/groups/pending_pods.h"
#include "scheduler/queue/queue.h"
#include "scheduler/reports/group_writes.h"
#include "scheduler/reports/outcome_reporter.h"

namespace dray::scheduler {

/// Keeps no state between attempts. Not thread-safe.
class GroupScheduler {
 public:
  /// All members must outlive the GroupScheduler.
  struct Uses {
    client::Client& client;
    const Clock& clock;
    const Log& log;
    const Configuration& configuration;
    ClusterCache& cluster;
    ClusterFeed& feed;
    SchedulingQueue& queue;
    PendingPods& pending;
    Decider& decider;
    Binder& binder;
    Evictor& evictor;
    OutcomeReporter& outcomes;
    const std::atomic<bool>& cancelled;  // set: the current attempt ends without a result
  };

  struct Options {
    /// Pods of a group may share claims (DRAWorkloadResourceClaims).
    bool group_claims = false;
    /// Groups may require nodes of one topology domain (TopologyAwareWorkloadScheduling).
    bool group_topology = false;
  };

  GroupScheduler(const Uses& uses, const Options& options) : uses_(uses), options_(options) {}

  /// Makes one attempt for a group that Pop has returned, by its entry in the queue; at `now`.
  /// Afterwards the entry has left the queue or waits there.
  void Schedule(const std::string& entry, MonotonicTime now);

 private:
  GroupQuestions QuestionsAbout(const PodGroup& group,
                                std::span<const GroupMember> members,
                                size_t scheduled);
  void Finish(const std::string& entry,
              const api::Object& group,
              std::span<const GroupMember> members,
              GroupOutcome outcome,
              size_t scheduled);
  void BindMembers(std::span<const GroupMember> members, GroupOutcome& outcome);
  void ReportMembers(std::span<const GroupMember> members,
                     const GroupOutcome& outcome,
                     const GroupRoom& room = {});
  void WriteCondition(const api::Object& group, const GroupCondition& condition);

  const Uses uses_;
  const Options options_;
};

}  // namespace dray::scheduler
