// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster_cache.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/apps_v1/replica_set.h"
#include "api/apps_v1/stateful_set.h"
#include "api/claims/extended_claim.h"
#include "api/claims/pod_groups.h"
#include "api/core_v1/namespace.h"
#include "api/core_v1/node.h"
#include "api/core_v1/persistent_volume.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "api/core_v1/replication_controller.h"
#include "api/core_v1/service.h"
#include "api/pods/life.h"
#include "api/policy_v1.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "api/storage_v1/storage_class.h"
#include "base/check.h"
#include "scheduler/affinity_rules.h"
#include "scheduler/pod_groups.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

bool MayHostNow(const core_v1::Node& before, const core_v1::Node& after) {
  return !(before.spec == after.spec) || before.metadata.labels != after.metadata.labels ||
         !(before.status.allocatable == after.status.allocatable);
}

bool IsAllocated(const api::Object* claim) {
  return claim != nullptr && claim->As<resource_v1::ResourceClaim>().status.allocation.has_value();
}

const std::string& NameOf(const api::Object* before, const api::Object* after) {
  return (after != nullptr ? after : before)->metadata().name;
}

const FollowedKind* FindFollowed(const api::Object& object) {
  const std::span<const FollowedKind> kinds = FollowedKinds();
  const auto found = std::ranges::find_if(
      kinds, [&](const FollowedKind& one) { return &one.kind->type() == &object.type(); });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace

std::span<const FollowedKind> FollowedKinds() {
  using Objects = ClusterObjects;
  static const FollowedKind kKinds[] = {
      {&api::Reflected<core_v1::Pod>::kKind, &Objects::pods},
      {&api::Reflected<core_v1::Node>::kKind, &Objects::nodes},
      {&api::Reflected<core_v1::Namespace>::kKind, &Objects::namespaces},
      {&api::Reflected<resource_v1::DeviceClass>::kKind, &Objects::classes},
      {&api::Reflected<resource_v1::ResourceSlice>::kKind, &Objects::slices},
      {&api::Reflected<resource_v1::ResourceClaim>::kKind, &Objects::claims},
      {&api::Reflected<api::policy_v1::PodDisruptionBudget>::kKind, &Objects::budgets},
      {&api::Reflected<resource_v1::DeviceTaintRule>::kKind, &Objects::taint_rules},
      {&api::Reflected<PodGroup>::kKind, &Objects::groups},
      {&api::Reflected<core_v1::PersistentVolume>::kKind, &Objects::volumes},
      {&api::Reflected<core_v1::PersistentVolumeClaim>::kKind, &Objects::volume_claims},
      {&api::Reflected<api::storage_v1::StorageClass>::kKind, &Objects::storage_classes},
      {&api::Reflected<core_v1::Service>::kKind, &Objects::services},
      {&api::Reflected<core_v1::ReplicationController>::kKind, &Objects::replication_controllers},
      {&api::Reflected<api::apps_v1::ReplicaSet>::kKind, &Objects::replica_sets},
      {&api::Reflected<api::apps_v1::StatefulSet>::kKind, &Objects::stateful_sets}};
  return kKinds;
}

bool LooksAt(const api::Object& object) {
  return FindFollowed(object) != nullptr;
}

client::Mirror& MirrorOf(const api::Object& object, ClusterObjects& objects) {
  const FollowedKind* const found = FindFollowed(object);
  DRAY_CHECK(found != nullptr);
  return objects.*found->mirror;
}

ClusterCache::ClusterCache(Options options)
    : options_(std::move(options)),
      tainted_(options_.taint_rules.value_or(api::Release::kNewest)),
      devices_({.features = options_.features, .selectors = options_.selectors}) {
  DRAY_CHECK(options_.selectors != nullptr);
  AddIndexes();
  objects_.pods.OnChange([this](auto* before, auto* after) { OnPod(before, after); });
  objects_.claims.OnChange([this](auto* before, auto* after) { OnClaim(before, after); });
  objects_.nodes.OnChange([this](auto* before, auto* after) { OnNode(before, after); });
  objects_.classes.OnChange([this](auto* before, auto* after) { OnClass(before, after); });
  objects_.slices.OnChange([this](auto* before, auto* after) { OnSlice(before, after); });
  objects_.taint_rules.OnChange([this](auto* before, auto* after) { OnTaintRule(before, after); });
  for (client::Mirror* mirror :
       {&objects_.volumes, &objects_.volume_claims, &objects_.storage_classes})
    mirror->OnChange([this](auto*, auto*) { Tell(ClusterEvent::kVolumes); });
}

void ClusterCache::AddIndexes() {
  extended_by_pod_ = objects_.claims.AddIndex([](const api::Object& claim, auto& values) {
    std::string uid = api::claims::PodOfExtendedClaim(claim.metadata()).uid;
    if (!uid.empty()) values.push_back(std::move(uid));
  });
  pods_by_volume_claim_ = objects_.pods.AddIndex([](const api::Object& pod, auto& values) {
    std::ranges::move(VolumeClaimsOf(pod.As<core_v1::Pod>()), std::back_inserter(values));
  });
  if (!options_.pod_groups) return;
  slices_by_pool_ = objects_.slices.AddIndex([](const api::Object& slice, auto& values) {
    const auto& spec = slice.As<resource_v1::ResourceSlice>().spec;
    values.push_back(fmt::format("{}/{}", spec.driver, spec.pool.name));
  });
  pods_by_group_ = objects_.pods.AddIndex([](const api::Object& pod, auto& values) {
    std::string group = api::claims::PodGroupKeyOf(pod.As<core_v1::Pod>());
    if (!group.empty()) values.push_back(std::move(group));
  });
}

void ClusterCache::Tell(ClusterEvent event) const {
  if (on_event_) on_event_(event);
}

// ------------------------------------------------------------------------------------------------
// Changes.

void ClusterCache::OnPod(const api::Object* before, const api::Object* after) {
  const auto& pod = (after != nullptr ? after : before)->As<core_v1::Pod>();
  const std::string& uid = pod.metadata.uid;
  use_.DropNominee(uid);
  const bool is_over = after == nullptr || api::pods::HasEnded(pod);
  const bool has_node = !pod.spec.node_name.empty();
  if (after == nullptr || has_node) assumed_.erase(uid);
  if (is_over && (after == nullptr || has_node)) {
    if (use_.DropPod(uid)) Tell(ClusterEvent::kAssignedPods);
    return;
  }
  if (!has_node) {
    if (!is_over && !pod.metadata.deletion_timestamp) use_.SetNominee(pod);
    return;
  }
  if (!use_.IsOn(uid, pod.spec.node_name)) {
    use_.SetPod(pod,
                pod.spec.node_name,
                pod.status.node_allocatable_resource_claim_statuses,
                AffinityRules::Of(*after));
  }
  Tell(ClusterEvent::kPlacedPods);
}

void ClusterCache::OnClaim(const api::Object* before, const api::Object* after) {
  const auto* claim = after == nullptr ? nullptr : &after->As<resource_v1::ResourceClaim>();
  taken_.SetClaim((after != nullptr ? after : before)->metadata().uid, claim);
  if (IsAllocated(before) && !IsAllocated(after)) Tell(ClusterEvent::kDevices);
}

void ClusterCache::OnNode(const api::Object* before, const api::Object* after) {
  use_.SetNode(NameOf(before, after), after);
  if (after == nullptr) return;
  const auto& node = after->As<core_v1::Node>();
  if (before == nullptr || MayHostNow(before->As<core_v1::Node>(), node))
    Tell(ClusterEvent::kNodes);
}

void ClusterCache::OnClass(const api::Object* before, const api::Object* after) {
  const std::string& name = NameOf(before, after);
  extended_.SetClass(name, after == nullptr ? nullptr : &after->As<resource_v1::DeviceClass>());
  if (after != nullptr) {
    device_changes_.emplace_back(api::FrozenOf<resource_v1::DeviceClass>(*after));
  } else {
    device_changes_.emplace_back(allocator::ClassRemoved{name});
  }
  Tell(ClusterEvent::kClasses);
}

void ClusterCache::OnSlice(const api::Object* before, const api::Object* after) {
  const std::string& name = NameOf(before, after);
  const Frozen<resource_v1::ResourceSlice> slice =
      after == nullptr ? nullptr : api::FrozenOf<resource_v1::ResourceSlice>(*after);
  device_changes_.push_back(tainted_.SetSlice(name, slice));
  if (options_.node_allocatable) node_allocatable_.SetSlice(name, slice);
  Tell(ClusterEvent::kDevices);
}

void ClusterCache::OnTaintRule(const api::Object* before, const api::Object* after) {
  if (!options_.taint_rules.has_value()) return;
  std::vector<allocator::ClusterChange> changes = tainted_.SetRule(
      NameOf(before, after),
      after == nullptr ? nullptr : api::FrozenOf<resource_v1::DeviceTaintRule>(*after));
  if (changes.empty()) return;
  std::ranges::move(changes, std::back_inserter(device_changes_));
  Tell(ClusterEvent::kDevices);
}

void ClusterCache::AssumePod(const api::Object& pod,
                             const std::string& node,
                             NodeUse::TakenByDevices taken) {
  assumed_.insert(pod.metadata().uid);
  use_.SetPod(pod.As<core_v1::Pod>(), node, taken, AffinityRules::Of(pod));
  Tell(ClusterEvent::kPlacedPods);
}

bool ClusterCache::ForgetPod(std::string_view uid) {
  const auto found = assumed_.find(uid);
  if (found == assumed_.end()) return false;
  use_.DropPod(uid);
  assumed_.erase(found);
  return true;
}

// ------------------------------------------------------------------------------------------------
// What follows from them.

const allocator::Snapshot& ClusterCache::Devices() {
  if (!device_changes_.empty()) {
    devices_ = devices_.With(device_changes_);
    device_changes_.clear();
  }
  taken_.BringUpToDate(devices_);
  return devices_;
}

const std::string* ClusterCache::ClassOf(std::string_view resource) const {
  return options_.extended_resources ? extended_.ClassOf(resource) : nullptr;
}

const client::Mirror::Keys& ClusterCache::PodsOfGroup(std::string_view group_key) const {
  DRAY_CHECK(options_.pod_groups);
  return objects_.pods.Indexed(pods_by_group_, group_key);
}

const client::Mirror::Keys& ClusterCache::SlicesOfPool(std::string_view pool) const {
  DRAY_CHECK(options_.pod_groups);
  return objects_.slices.Indexed(slices_by_pool_, pool);
}

const api::Object* ClusterCache::LeftOverOf(std::string_view pod_uid) const {
  const auto& left_over = objects_.claims.Indexed(extended_by_pod_, pod_uid);
  return left_over.empty() ? nullptr : objects_.claims.Find(*left_over.begin());
}

VolumeNeeds ClusterCache::VolumeNeedsOf(const core_v1::Pod& pod) const {
  return scheduler::VolumeNeedsOf(
      pod,
      {.find_claim = [this](std::string_view key) { return objects_.volume_claims.Find(key); },
       .find_volume = [this](std::string_view name) { return objects_.volumes.Find(name); },
       .find_class = [this](std::string_view name) { return objects_.storage_classes.Find(name); },
       .is_in_use =
           [this, &pod](std::string_view claim) {
             return IsVolumeClaimUsed(claim, pod.metadata.uid);
           }});
}

/// Whether a pod that has a node, or is about to, uses the volume claim and is not `uid`.
bool ClusterCache::IsVolumeClaimUsed(std::string_view claim, std::string_view uid) const {
  return std::ranges::any_of(
      objects_.pods.Indexed(pods_by_volume_claim_, claim), [&](const std::string& key) {
        const auto& pod = FindPod(key)->As<core_v1::Pod>();
        const bool has_node = !pod.spec.node_name.empty() || IsAssumed(pod.metadata.uid);
        return pod.metadata.uid != uid && has_node && !api::pods::HasEnded(pod);
      });
}

DisruptionBudgets ClusterCache::Budgets() const {
  std::vector<const api::policy_v1::PodDisruptionBudget*> budgets;
  for (const auto& [key, object] : objects_.budgets.objects())
    budgets.push_back(&object.As<api::policy_v1::PodDisruptionBudget>());
  return DisruptionBudgets(budgets);
}

}  // namespace dray::scheduler
