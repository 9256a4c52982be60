// SPDX-License-Identifier: Apache-2.0
// A pod on a node, with the facts that preemption needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/core_v1/pod_status.h"
#include "api/value/time.h"
#include "scheduler/cluster/affinity_rules.h"
#include "scheduler/cluster/node_state.h"

namespace dray::scheduler::inline cluster {

/// The condition of a pod that is being evicted, and its reason when a scheduler preempts.
inline constexpr std::string_view kDisruptionTarget = "DisruptionTarget";
inline constexpr std::string_view kPreempted = "PreemptionByScheduler";
/// Whether a scheduler is deleting the pod to make room.
bool IsPreempted(const api::core_v1::PodStatus& status);

/// A pod that runs on a node or is assumed there.
struct PodOnNode {
  std::string uid, key;  // "namespace/name"
  int32_t priority = 0;
  api::Time started{};    // zero: not yet
  bool is_going = false;  // it was preempted and is not gone yet
  Amounts requests{};
  std::vector<HostPort> ports{};
  /// Owned by the scheduler's cache and valid as long; null: the pod is not in the cache.
  const api::core_v1::Pod* pod = nullptr;
  const api::core_v1::Node* node = nullptr;
  const AffinityRules* rules = nullptr;
  bool is_elsewhere = false;  // not on the node under consideration
};

/// Pods that are evicted together: one, or all pods of a group that is disrupted as a whole.
struct Victim {
  std::vector<PodOnNode> pods;  // at least one
  int32_t priority = 0;         // that of the group, if it is one
  bool is_of_group = false;     // such a group counts for more than a single pod
};

}  // namespace dray::scheduler::inline cluster
