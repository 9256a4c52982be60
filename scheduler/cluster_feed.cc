// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster_feed.h"

#include <algorithm>

#include "api/apps_v1/replica_set.h"
#include "api/apps_v1/stateful_set.h"
#include "api/core_v1/namespace.h"
#include "api/core_v1/node.h"
#include "api/core_v1/persistent_volume.h"
#include "api/core_v1/persistent_volume_claim.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/replication_controller.h"
#include "api/core_v1/service.h"
#include "api/kind.h"
#include "api/policy_v1.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "base/check.h"
#include "client/loop.h"
#include "client/mirror.h"
#include "scheduler/pod_groups.h"

namespace dray::scheduler {

ClusterFeed::ClusterFeed(
    client::Client& client, World& world, Wakeup& wakeup, const Log& log, ClusterCache& cluster) {
  const auto follow = [&](const api::KindInfo& kind, client::Mirror& into) {
    informers_.emplace_back(
        client, kind, world.clock, wakeup, log, client::Informer::Options{}, &into);
  };
  ClusterObjects& objects = cluster.objects();
  follow(api::Reflected<api::core_v1::Pod>::kKind, objects.pods);
  follow(api::Reflected<api::core_v1::Node>::kKind, objects.nodes);
  follow(api::Reflected<api::core_v1::Namespace>::kKind, objects.namespaces);
  follow(api::Reflected<api::resource_v1::DeviceClass>::kKind, objects.classes);
  follow(api::Reflected<api::resource_v1::ResourceSlice>::kKind, objects.slices);
  follow(api::Reflected<api::resource_v1::ResourceClaim>::kKind, objects.claims);
  follow(api::Reflected<api::policy_v1::PodDisruptionBudget>::kKind, objects.budgets);
  if (cluster.options().taint_rules.has_value())
    follow(api::Reflected<api::resource_v1::DeviceTaintRule>::kKind, objects.taint_rules);
  if (cluster.options().pod_groups) follow(api::Reflected<PodGroup>::kKind, objects.groups);
  follow(api::Reflected<api::core_v1::PersistentVolume>::kKind, objects.volumes);
  follow(api::Reflected<api::core_v1::PersistentVolumeClaim>::kKind, objects.volume_claims);
  follow(api::Reflected<api::core_v1::Service>::kKind, objects.services);
  follow(api::Reflected<api::core_v1::ReplicationController>::kKind,
         objects.replication_controllers);
  follow(api::Reflected<api::apps_v1::ReplicaSet>::kKind, objects.replica_sets);
  follow(api::Reflected<api::apps_v1::StatefulSet>::kKind, objects.stateful_sets);
}

std::optional<MonotonicTime> ClusterFeed::Step() {
  std::optional<MonotonicTime> next;
  for (client::Informer& informer : informers_) next = client::Earlier(next, informer.Step());
  return next;
}

bool ClusterFeed::synced() const {
  return std::ranges::all_of(informers_, &client::Informer::synced);
}

void ClusterFeed::Assume(const api::Object& object) {
  const auto found = std::ranges::find_if(informers_, [&](const client::Informer& informer) {
    return &informer.kind().type() == &object.type();
  });
  DRAY_CHECK(found != informers_.end());
  found->Assume(object);
}

}  // namespace dray::scheduler
