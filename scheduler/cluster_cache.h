// SPDX-License-Identifier: Apache-2.0
// The cluster as the scheduler sees it: the objects that decide about pods, and what follows from
// them. A shell keeps the objects current: the scheduler from watches (cluster_feed.h), planning
// from files. An attempt for a pod (attempt.h) needs nothing else of the cluster.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/release.h"
#include "client/mirror.h"
#include "dray/allocator.h"
#include "scheduler/cluster_event.h"
#include "scheduler/devices.h"
#include "scheduler/disruption_budgets.h"
#include "scheduler/extended_resources.h"
#include "scheduler/node_allocatable.h"
#include "scheduler/node_use.h"
#include "scheduler/pod_collections.h"
#include "scheduler/tainted_slices.h"
#include "scheduler/volumes.h"

namespace dray::scheduler {

/// All that decides about pods, by kind.
struct ClusterObjects {
  client::Mirror pods, nodes, namespaces, classes, slices, claims, taint_rules;
  client::Mirror groups;   // of pods
  client::Mirror budgets;  // of pods that must not go
  client::Mirror volumes, volume_claims, storage_classes;
  client::Mirror services, replication_controllers, replica_sets, stateful_sets;
};

/// A kind, and where its objects are.
struct FollowedKind {
  const api::KindInfo* kind;
  client::Mirror ClusterObjects::* mirror;
};
/// All of them. Pods come first: what was delivered before a pod is then known when the pod is
/// tried.
std::span<const FollowedKind> FollowedKinds();
/// Whether the object is of one of these kinds.
bool LooksAt(const api::Object& object);
/// Of an object that is.
client::Mirror& MirrorOf(const api::Object& object, ClusterObjects& objects);

/// One thread. What it hands out is valid until the next change.
class ClusterCache {
 public:
  struct Options {
    allocator::Features features = {};
    /// Compiled expressions, which others may share. Never null.
    std::shared_ptr<cel::SelectorCache> selectors;
    /// DeviceTaintRules count, as in this release; absent: they taint nothing.
    std::optional<api::Release> taint_rules = {};
    /// Device classes serve extended resources (DRAExtendedResource).
    bool extended_resources = true;
    /// Devices may take resources of their nodes (DRANodeAllocatableResources).
    bool node_allocatable = false;
    /// Pods may belong to groups (GenericWorkload).
    bool pod_groups = false;
  };

  explicit ClusterCache(Options options);
  ClusterCache(const ClusterCache&) = delete;
  ClusterCache& operator=(const ClusterCache&) = delete;

  /// To keep current; everything here follows at once.
  ClusterObjects& objects() { return objects_; }
  const ClusterObjects& objects() const { return objects_; }
  /// Called for each change that may let pods fit.
  void OnEvent(std::function<void(ClusterEvent event)> handler) { on_event_ = std::move(handler); }

  const Options& options() const { return options_; }
  /// What pods use of the nodes.
  NodeUse& use() { return use_; }
  const NodeUse& use() const { return use_; }
  /// Which devices are taken.
  TakenDevices& taken() { return taken_; }
  const TakenDevices& taken() const { return taken_; }
  /// The devices there are, as the allocator wants them, and which are taken.
  const allocator::Snapshot& Devices();
  /// Which class serves an extended resource; null: none does.
  const std::string* ClassOf(std::string_view resource) const;
  const NodeAllocatableDevices& node_allocatable() const { return node_allocatable_; }
  const PodCollections& collections() const { return collections_; }

  const api::Object* FindPod(std::string_view key) const { return objects_.pods.Find(key); }
  const api::Object* FindClaim(std::string_view key) const { return objects_.claims.Find(key); }
  /// Keys of the pods that belong to a group.
  const client::Mirror::Keys& PodsOfGroup(std::string_view group_key) const;
  /// Names of the slices of "driver/pool", while there are groups.
  const client::Mirror::Keys& SlicesOfPool(std::string_view pool) const;
  /// The claim that an earlier attempt made for the pod's extended resources; null: there is none.
  const api::Object* LeftOverOf(std::string_view pod_uid) const;
  VolumeNeeds VolumeNeedsOf(const api::core_v1::Pod& pod) const;
  DisruptionBudgets Budgets() const;

  /// The pod is about to be bound to the node, where its devices take `taken`: it counts there
  /// until it is forgotten, deleted, or bound elsewhere.
  void AssumePod(const api::Object& pod, const std::string& node, NodeUse::TakenByDevices taken);
  /// It is not bound after all. False: it was not assumed.
  bool ForgetPod(std::string_view uid);
  bool IsAssumed(std::string_view uid) const { return assumed_.contains(uid); }
  size_t assumed_pods() const { return assumed_.size(); }

 private:
  void AddIndexes();
  void OnPod(const api::Object* before, const api::Object* after);
  void OnClaim(const api::Object* before, const api::Object* after);
  void OnNode(const api::Object* before, const api::Object* after);
  void OnClass(const api::Object* before, const api::Object* after);
  void OnSlice(const api::Object* before, const api::Object* after);
  void OnTaintRule(const api::Object* before, const api::Object* after);
  void Tell(ClusterEvent event) const;
  bool IsVolumeClaimUsed(std::string_view claim, std::string_view uid) const;

  const Options options_;
  std::function<void(ClusterEvent event)> on_event_;
  ClusterObjects objects_;
  NodeUse use_;
  TakenDevices taken_{options_.features};
  std::set<std::string, std::less<>> assumed_;  // uids of pods about to be bound
  TaintedSlices tainted_;
  ExtendedResourceClasses extended_;
  NodeAllocatableDevices node_allocatable_;
  PodCollections collections_{objects_.services,
                              objects_.replication_controllers,
                              objects_.replica_sets,
                              objects_.stateful_sets};
  allocator::Snapshot devices_;
  std::vector<allocator::ClusterChange> device_changes_;  // since Devices() was last asked
  size_t pods_by_volume_claim_ = 0;                       // indexes
  size_t pods_by_group_ = 0, slices_by_pool_ = 0;         // while there are groups
  size_t extended_by_pod_ = 0;                            // claims for extended resources
};

}  // namespace dray::scheduler
