// SPDX-License-Identifier: Apache-2.0
// All plugins of kube-scheduler in its order, and what the scheduler asks of them together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "api/core_v1/pod.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/plugins/plugin.h"
#include "scheduler/plugins/pod_needs.h"

namespace dray::scheduler::inline plugins {

/// In the order in which kube-scheduler asks them.
std::span<const Plugin* const> AllPlugins();
/// Null: kube-scheduler has none of that name.
const Plugin* FindPlugin(std::string_view name);

/// Whether no plugin keeps the pod out of the queue.
bool MayEnqueue(const api::core_v1::Pod& pod);

/// Asks the filters in their order. Returns what the first that objects says; the others are not
/// asked. Devices are not looked for (cycle.h).
std::optional<Obstacle> Filter(const PodInAttempt& pod, const NodeState& node);
/// The same without volumes and rules about other pods.
std::optional<Rejection> FilterNode(const PodNeeds& needs, const NodeState& node);

/// The weighted sum of scores that do not depend on other nodes.
int64_t OwnScore(const PodInAttempt& pod, const NodeState& node);

/// Scores that compare nodes with each other, for one attempt.
class ComparedScores {
 public:
  /// What `pod` refers to outlives it. `nodes` are all that come into question.
  ComparedScores(const PodInAttempt& pod, std::span<const NodeState* const> nodes);

  /// Whether any node can be preferred to another; if not, there is no need to ask.
  bool matter() const { return !plugins_.empty(); }
  /// Weighted sums, one for each of the nodes that do.
  std::vector<int64_t> Of(std::span<const NodeState* const> nodes) const;

 private:
  const PodInAttempt pod_;
  std::vector<const Plugin*> plugins_;  // that have scores for this pod
};

}  // namespace dray::scheduler::inline plugins
