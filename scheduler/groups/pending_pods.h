// SPDX-License-Identifier: Apache-2.0
// Pods that wait for a node, as entries of the scheduling queue. A pod without a group has an entry
// of its own; a group has one entry for all its waiting pods.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "base/world.h"
#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/configuration/configuration.h"
#include "scheduler/groups/group_trial.h"
#include "scheduler/queue/queue.h"

namespace dray::scheduler::inline groups {

/// Whether an entry of the queue stands for a group of pods.
bool IsGroupEntry(std::string_view entry);
/// "namespace/name" of the group of a group entry.
std::string_view GroupKeyOf(std::string_view entry);

/// Keeps the entries of the queue in step with the pods and groups of the cluster. One thread.
class PendingPods {
 public:
  /// All members must outlive the PendingPods.
  struct Uses {
    SchedulingQueue& queue;
    const ClusterCache& cluster;
    const Configuration& configuration;
    const Clock& clock;
  };
  /// kTogether: pods of a group are scheduled together (GenericWorkload).
  enum class Groups : uint8_t { kIgnored, kTogether };

  PendingPods(const Uses& uses, Groups groups) : uses_(uses), groups_(groups) {}

  /// The entry that stands for the pod: its own, or its group's.
  std::string EntryOf(const api::core_v1::Pod& pod) const;
  /// The pods of a group that this scheduler owns. O(pods of the group).
  GroupState StateOf(std::string_view group_key) const;

  /// Adds the entry of a pod that needs a node. A pod waits outside the queue until its group
  /// exists.
  void Add(const api::core_v1::Pod& pod);
  /// Removes a pod that needs no node any more. The entry of a group stays while other pods of it
  /// wait.
  void Remove(const api::core_v1::Pod& pod);
  /// Adds the entry of the group if pods of it wait.
  void AddGroup(const api::Object& group);
  /// A group was added (`before` is null), changed or removed (`after` is null).
  void GroupChanged(const api::Object* before, const api::Object* after);

 private:
  const Uses uses_;
  const Groups groups_;
};

}  // namespace dray::scheduler::inline groups
