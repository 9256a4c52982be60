// SPDX-License-Identifier: Apache-2.0
// A plugin of kube-scheduler, and the extension points at which it runs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/core_v1/taint.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/plugins/pod_needs.h"
#include "scheduler/plugins/scores.h"
#include "scheduler/queue/cluster_event.h"

namespace dray::scheduler::inline plugins {

class PodAffinity;
class TopologySpread;
struct VolumeNeeds;

/// A pod as plugins see it in one attempt. Null members: the pod has no such rules.
struct PodInAttempt {
  const PodNeeds* needs;  // never null
  const VolumeNeeds* volumes = nullptr;
  const PodAffinity* affinity = nullptr;
  const TopologySpread* spread = nullptr;
  /// The different PreferNoSchedule taints of the nodes.
  std::span<const api::core_v1::Taint> soft_taints = {};

  const api::core_v1::Pod& pod() const { return *needs->pod; }
};

/// The extension points of kube-scheduler's framework.
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

/// An extension point at which another part of the scheduler does the plugin's work.
struct RunBy {
  Point point;
  std::string_view file;  // below scheduler/
};

/// A row of the table (table.h). Functions that are not set do nothing.
struct Plugin {
  std::string_view name;

  /// Whether the pod may enter the queue.
  bool (*pre_enqueue)(const api::core_v1::Pod& pod) = nullptr;

  /// Why the node is rejected. Called once per node and attempt, and more often when preemption is
  /// tried.
  std::optional<Rejection> (*filter)(const PodInAttempt& pod, const NodeState& node) = nullptr;
  /// The same for a plugin that looks at nothing else: its answer is kept for pods with equal needs
  /// until the node changes (cycle/node_verdicts.h). These run before all others.
  std::optional<Rejection> (*filter_node)(const NodeNeeds& needs, const NodeState& node) = nullptr;
  /// The event after which the pod may fit on a node that the filter rejects.
  ClusterEvent retry = ClusterEvent::kNodes;

  /// The weight of its score.
  int64_t weight = 0;
  /// A score of 0 to kScoreMax that does not depend on other nodes.
  int64_t (*own_score)(const PodInAttempt& pod, const NodeState& node) = nullptr;
  /// The same for a plugin that looks at nothing else, kept as for `filter_node`.
  int64_t (*score_node)(const NodeNeeds& needs, const NodeState& node) = nullptr;
  /// Scores that compare nodes: whether any node may be better than another, and a score of 0 to
  /// kScoreMax for each fitting node. Both are set or none. `has_scores` may not look at all nodes.
  bool (*has_scores)(const PodInAttempt& pod) = nullptr;
  std::vector<int64_t> (*scores)(const PodInAttempt& pod,
                                 std::span<const NodeState* const> nodes) = nullptr;

  /// Extension points that other parts of the scheduler run; the first entry without a file ends
  /// the list.
  std::array<RunBy, 8> elsewhere = {};
  /// The gap: what kube-scheduler's plugin does and Dray does not; empty: none.
  std::string_view missing = {};

  // In the configuration file (fixed_settings.h).
  std::string_view arguments = {};  // kube-scheduler's defaults, in YAML; empty: it has none
  bool is_default = true;           // in kube-scheduler's default set, with the gates of 1.37 on
  bool may_be_disabled = false;     // because it does nothing here
};

/// Why a node is rejected, and the event that may change that.
struct Obstacle {
  Rejection rejection;
  ClusterEvent event = ClusterEvent::kDevices;
};

}  // namespace dray::scheduler::inline plugins
