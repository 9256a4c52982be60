// SPDX-License-Identifier: Apache-2.0
// The cluster as the scheduler sees it: the objects that scheduling depends on, and the state
// derived from them. The scheduler keeps the objects current from watches (cluster_feed.h),
// planning from files. An attempt for a pod (attempt.h) needs no other state of the cluster.
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

#include "api/claims/compact_slices.h"
#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/release.h"
#include "client/mirror.h"
#include "dray/allocator.h"
#include "scheduler/cluster/cluster_indexes.h"
#include "scheduler/cluster/cluster_objects.h"
#include "scheduler/cluster/devices.h"
#include "scheduler/cluster/extended_resources.h"
#include "scheduler/cluster/node_allocatable.h"
#include "scheduler/cluster/node_use.h"
#include "scheduler/cluster/pod_collections.h"
#include "scheduler/cluster/tainted_slices.h"
#include "scheduler/queue/cluster_event.h"

namespace dray::scheduler::inline cluster {

/// Not thread-safe. References that it returns are valid until the next change.
class ClusterCache {
 public:
  struct Options {
    allocator::Features features = {};
    /// Compiled expressions, possibly shared with other caches. Never null.
    std::shared_ptr<allocator::SelectorCache> selectors;
    /// Applies DeviceTaintRules as this release does; absent: they taint nothing.
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
  ~ClusterCache() = default;

  /// The objects, for the owner to keep current. The derived state follows each change at once.
  ClusterObjects& objects() { return objects_; }
  const ClusterObjects& objects() const { return objects_; }
  /// `handler` is called for each change that may let pods fit.
  void OnEvent(std::function<void(ClusterEvent event)> handler) { on_event_ = std::move(handler); }

  const Options& options() const { return options_; }
  /// The pods' use of the nodes.
  NodeUse& use() { return use_; }
  const NodeUse& use() const { return use_; }
  /// Which devices are taken.
  TakenDevices& taken() { return taken_; }
  const TakenDevices& taken() const { return taken_; }
  /// The devices of the cluster as the allocator's snapshot, with those that are taken.
  const allocator::Snapshot& Devices();
  /// The class that serves an extended resource; null: none does.
  const std::string* ClassOf(std::string_view resource) const;
  const NodeAllocatableDevices& node_allocatable() const { return node_allocatable_; }
  const PodCollections& collections() const { return collections_; }

  const api::Object* FindPod(std::string_view key) const { return objects_.pods.Find(key); }
  const api::Object* FindClaim(std::string_view key) const { return objects_.claims.Find(key); }
  /// Objects by the names that they refer to.
  const ClusterIndexes& indexes() const { return indexes_; }

  /// Counts the pod on the node, where its devices take `taken`, before its binding is visible. It
  /// counts until it is forgotten, deleted, or bound elsewhere.
  void AssumePod(const api::Object& pod, const std::string& node, NodeUse::TakenByDevices taken);
  /// Undoes AssumePod. False: the pod was not assumed.
  bool ForgetPod(std::string_view uid);
  bool IsAssumed(std::string_view uid) const { return assumed_.contains(uid); }
  size_t assumed_pods() const { return assumed_.size(); }

 private:
  void OnPod(const api::Object* before, const api::Object* after);
  void OnClaim(const api::Object* before, const api::Object* after);
  void OnNode(const api::Object* before, const api::Object* after);
  void OnClass(const api::Object* before, const api::Object* after);
  void OnSlice(const api::Object* before, const api::Object* after);
  void OnTaintRule(const api::Object* before, const api::Object* after);

  const Options options_;
  std::function<void(ClusterEvent event)> on_event_ = [](ClusterEvent) {};
  ClusterObjects objects_;
  ClusterIndexes indexes_;
  NodeUse use_;
  TakenDevices taken_{options_.features};
  std::set<std::string, std::less<>> assumed_;  // uids of pods about to be bound
  api::claims::CompactSlices compact_;
  TaintedSlices tainted_;
  ExtendedResourceClasses extended_;
  NodeAllocatableDevices node_allocatable_;
  PodCollections collections_{objects_.services,
                              objects_.replication_controllers,
                              objects_.replica_sets,
                              objects_.stateful_sets};
  allocator::Snapshot devices_;
  std::vector<allocator::ClusterChange> device_changes_;  // since the last Devices()
};

}  // namespace dray::scheduler::inline cluster
