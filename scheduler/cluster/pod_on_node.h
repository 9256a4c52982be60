// SPDX-License-Identifier: Apache-2.0
// A pod on a node, with what counts when it may have to go for a more important one.
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

/// The condition of a pod that is being evicted, and its reason where a scheduler makes room.
inline constexpr std::string_view kDisruptionTarget = "DisruptionTarget";
inline constexpr std::string_view kPreempted = "PreemptionByScheduler";
/// Whether a scheduler deletes the pod to make room.
bool IsPreempted(const api::core_v1::PodStatus& status);

/// A pod that runs on a node, or is about to.
struct PodOnNode {
  std::string uid, key;  // "namespace/name"
  int32_t priority = 0;
  api::Time started{};    // zero: not yet
  bool is_going = false;  // it has been deleted to make room and is not gone yet
  Amounts requests{};
  std::vector<HostPort> ports{};
  /// As the scheduler knows them, and valid as long; null: it does not.
  const api::core_v1::Pod* pod = nullptr;
  const api::core_v1::Node* node = nullptr;
  const AffinityRules* rules = nullptr;
  bool is_elsewhere = false;  // not on the node that is looked at
};

/// Pods that go together: one, or all of a group that is disrupted as a whole.
struct Victim {
  std::vector<PodOnNode> pods;  // at least one
  int32_t priority = 0;         // of the group, if it is one of such
  bool is_of_group = false;     // that counts for more than a pod alone
};

}  // namespace dray::scheduler::inline cluster
