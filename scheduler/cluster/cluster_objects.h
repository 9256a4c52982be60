// SPDX-License-Identifier: Apache-2.0
// The objects that decide about pods, by kind.
#pragma once

#include <span>

#include "api/kind.h"
#include "api/object.h"
#include "client/mirror.h"
#include "scheduler/cluster/disruption_budgets.h"

namespace dray::scheduler::inline cluster {

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

/// The disruption budgets there are. O(budgets).
DisruptionBudgets BudgetsIn(const ClusterObjects& objects);

}  // namespace dray::scheduler::inline cluster
