// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/cluster_cache.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "api/core_v1/node.h"
#include "api/pods/life.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "base/check.h"
#include "scheduler/cluster/affinity_rules.h"

namespace dray::scheduler::inline cluster {
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

}  // namespace

ClusterCache::ClusterCache(Options options)
    : options_(std::move(options)),
      indexes_(objects_, options_.pod_groups),
      tainted_(options_.taint_rules.value_or(api::Release::kNewest)),
      devices_({.features = options_.features, .selectors = options_.selectors}) {
  DRAY_CHECK(options_.selectors != nullptr);
  objects_.pods.OnChange([this](auto* before, auto* after) { OnPod(before, after); });
  objects_.claims.OnChange([this](auto* before, auto* after) { OnClaim(before, after); });
  objects_.nodes.OnChange([this](auto* before, auto* after) { OnNode(before, after); });
  objects_.classes.OnChange([this](auto* before, auto* after) { OnClass(before, after); });
  objects_.slices.OnChange([this](auto* before, auto* after) { OnSlice(before, after); });
  objects_.taint_rules.OnChange([this](auto* before, auto* after) { OnTaintRule(before, after); });
  for (client::Mirror* mirror :
       {&objects_.volumes, &objects_.volume_claims, &objects_.storage_classes})
    mirror->OnChange([this](auto*, auto*) { on_event_(ClusterEvent::kVolumes); });
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
    if (use_.DropPod(uid)) on_event_(ClusterEvent::kAssignedPods);
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
  on_event_(ClusterEvent::kPlacedPods);
}

void ClusterCache::OnClaim(const api::Object* before, const api::Object* after) {
  const auto* claim = after == nullptr ? nullptr : &after->As<resource_v1::ResourceClaim>();
  taken_.SetClaim((after != nullptr ? after : before)->metadata().uid, claim);
  if (IsAllocated(before) && !IsAllocated(after)) on_event_(ClusterEvent::kDevices);
}

void ClusterCache::OnNode(const api::Object* before, const api::Object* after) {
  use_.SetNode(NameOf(before, after), after);
  if (after == nullptr) return;
  const auto& node = after->As<core_v1::Node>();
  if (before == nullptr || MayHostNow(before->As<core_v1::Node>(), node))
    on_event_(ClusterEvent::kNodes);
}

void ClusterCache::OnClass(const api::Object* before, const api::Object* after) {
  const std::string& name = NameOf(before, after);
  extended_.SetClass(name, after == nullptr ? nullptr : &after->As<resource_v1::DeviceClass>());
  if (after != nullptr) {
    device_changes_.emplace_back(api::FrozenOf<resource_v1::DeviceClass>(*after));
  } else {
    device_changes_.emplace_back(allocator::ClassRemoved{name});
  }
  on_event_(ClusterEvent::kClasses);
}

void ClusterCache::OnSlice(const api::Object* before, const api::Object* after) {
  const std::string& name = NameOf(before, after);
  std::shared_ptr<resource_v1::ResourceSlice> slice;
  if (after != nullptr) {
    slice = std::make_shared<resource_v1::ResourceSlice>(after->As<resource_v1::ResourceSlice>());
    slice->metadata.managed_fields = {};  // no allocation depends on them
    compact_.Share(*slice);
  }
  device_changes_.push_back(tainted_.SetSlice(name, slice));
  if (options_.node_allocatable) node_allocatable_.SetSlice(name, slice);
  on_event_(ClusterEvent::kDevices);
}

void ClusterCache::OnTaintRule(const api::Object* before, const api::Object* after) {
  if (!options_.taint_rules.has_value()) return;
  std::vector<allocator::ClusterChange> changes = tainted_.SetRule(
      NameOf(before, after),
      after == nullptr ? nullptr : api::FrozenOf<resource_v1::DeviceTaintRule>(*after));
  if (changes.empty()) return;
  std::ranges::move(changes, std::back_inserter(device_changes_));
  on_event_(ClusterEvent::kDevices);
}

void ClusterCache::AssumePod(const api::Object& pod,
                             const std::string& node,
                             NodeUse::TakenByDevices taken) {
  assumed_.insert(pod.metadata().uid);
  use_.SetPod(pod.As<core_v1::Pod>(), node, taken, AffinityRules::Of(pod));
  on_event_(ClusterEvent::kPlacedPods);
}

bool ClusterCache::ForgetPod(std::string_view uid) {
  const auto found = assumed_.find(uid);
  if (found == assumed_.end()) return false;
  use_.DropPod(uid);
  assumed_.erase(found);
  return true;
}

// ------------------------------------------------------------------------------------------------
// Derived state.

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

}  // namespace dray::scheduler::inline cluster
