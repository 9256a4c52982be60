// SPDX-License-Identifier: Apache-2.0
// A plugin of kube-scheduler: what the framework asks it, and where.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "api/core_v1/pod.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/plugins/pod_needs.h"
#include "scheduler/plugins/scores.h"
#include "scheduler/queue/cluster_event.h"

namespace dray::scheduler::inline plugins {

class PodAffinity;
class TopologySpread;
struct VolumeNeeds;

/// A pod as plugins see it in one attempt. What is null does not matter to the pod.
struct PodInAttempt {
  const PodNeeds* needs;  // never null
  const VolumeNeeds* volumes = nullptr;
  const PodAffinity* affinity = nullptr;
  const TopologySpread* spread = nullptr;

  const api::core_v1::Pod& pod() const { return *needs->pod; }
};

/// Where kube-scheduler's framework asks plugins.
enum class Point : uint8_t {
  kPreEnqueue,
  kQueueSort,
  kPreFilter,
  kFilter,
  kPostFilter,
  kScore,
  kReserve,
  kPermit,
  kPreBind,
  kBind,
  kPlacementGenerate,
  kPlacementScore,
  kPodGroupPostFilter,
};

/// A point at which a part of the scheduler does the plugin's work itself.
struct RunBy {
  Point point;
  std::string_view file;  // below scheduler/
};

/// A row of the table (table.h). Functions that are not set do nothing.
struct Plugin {
  std::string_view name;

  /// Whether the pod may be tried at all.
  bool (*pre_enqueue)(const api::core_v1::Pod& pod) = nullptr;

  /// Why the node does not do; called once per node and attempt, or more often for victims.
  std::optional<Rejection> (*filter)(const PodInAttempt& pod, const NodeState& node) = nullptr;
  /// What may let the pod fit on a node that `filter` rejects.
  ClusterEvent retry = ClusterEvent::kNodes;

  /// What its score counts for.
  int64_t weight = 0;
  /// 0 to kScoreMax for a node, whatever the other nodes are like.
  int64_t (*own_score)(const PodInAttempt& pod, const NodeState& node) = nullptr;
  /// For scores that compare nodes: whether any of the nodes may be better than another, and
  /// 0 to kScoreMax for each of the nodes that do. Both are set or none.
  bool (*has_scores)(const PodInAttempt& pod, std::span<const NodeState* const> nodes) = nullptr;
  std::vector<int64_t> (*scores)(const PodInAttempt& pod,
                                 std::span<const NodeState* const> nodes) = nullptr;

  /// Points that parts of the scheduler run; the first entry without a file ends the list.
  std::array<RunBy, 8> elsewhere = {};
  /// The gap: what kube-scheduler's plugin does and nothing here does; empty: none.
  std::string_view missing = {};

  // In the configuration file (fixed_settings.h).
  std::string_view arguments = {};  // the usual ones, in YAML; empty: it has none
  bool is_default = true;           // in kube-scheduler's default set, with the gates of 1.37 on
  bool may_be_disabled = false;     // because it does nothing here
};

/// Why a node does not do, and what may change that.
struct Obstacle {
  Rejection rejection;
  ClusterEvent event = ClusterEvent::kDevices;
};

}  // namespace dray::scheduler::inline plugins
