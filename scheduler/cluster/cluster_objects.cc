// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/cluster_objects.h"

#include <algorithm>
#include <vector>

#include "api/apps_v1/replica_set.h"
#include "api/apps_v1/stateful_set.h"
#include "api/core_v1/namespace.h"
#include "api/core_v1/node.h"
#include "api/core_v1/persistent_volume.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/replication_controller.h"
#include "api/core_v1/service.h"
#include "api/policy_v1.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "api/storage_v1/storage_class.h"
#include "base/check.h"
#include "scheduler/cluster/pod_groups.h"

namespace dray::scheduler::inline cluster {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

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

DisruptionBudgets BudgetsIn(const ClusterObjects& objects) {
  std::vector<const api::policy_v1::PodDisruptionBudget*> budgets;
  for (const auto& [key, object] : objects.budgets.objects())
    budgets.push_back(&object.As<api::policy_v1::PodDisruptionBudget>());
  return DisruptionBudgets(budgets);
}

}  // namespace dray::scheduler::inline cluster
