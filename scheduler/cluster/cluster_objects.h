// SPDX-License-Identifier: Apache-2.0
// The objects that scheduling depends on, by kind.
#pragma once

#include <span>

#include "api/kind.h"
#include "api/object.h"
#include "client/mirror.h"
#include "scheduler/cluster/disruption_budgets.h"

namespace dray::scheduler::inline cluster {

/// All objects that scheduling depends on, by kind.
struct ClusterObjects {
  client::Mirror pods, nodes, namespaces, classes, slices, claims, taint_rules;
  client::Mirror groups;   // of pods
  client::Mirror budgets;  // disruption budgets
  client::Mirror volumes, volume_claims, storage_classes;
  client::Mirror services, replication_controllers, replica_sets, stateful_sets;
};

/// A kind, and the mirror that holds its objects.
struct FollowedKind {
  const api::KindInfo* kind;
  client::Mirror ClusterObjects::* mirror;
};
/// All followed kinds. Pods come first, so that objects delivered before a pod are known when the
/// scheduler tries the pod.
std::span<const FollowedKind> FollowedKinds();
/// Whether the object is of one of these kinds.
bool LooksAt(const api::Object& object);
/// The mirror for an object of a followed kind.
client::Mirror& MirrorOf(const api::Object& object, ClusterObjects& objects);

/// The disruption budgets of the cluster. O(budgets).
DisruptionBudgets BudgetsIn(const ClusterObjects& objects);

}  // namespace dray::scheduler::inline cluster
