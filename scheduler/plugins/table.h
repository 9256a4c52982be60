// SPDX-License-Identifier: Apache-2.0
// All plugins of kube-scheduler in its order, and functions that run them together.
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

/// In the order in which kube-scheduler runs them.
std::span<const Plugin* const> AllPlugins();
/// Null: kube-scheduler has no plugin of that name.
const Plugin* FindPlugin(std::string_view name);

/// Whether all plugins let the pod enter the queue.
bool MayEnqueue(const api::core_v1::Pod& pod);

/// Runs the filters in order, up to the first that rejects the node, and returns its reason. Does
/// not search for devices (cycle.h). First FilterNode, then FilterFurther.
std::optional<Obstacle> Filter(const PodInAttempt& pod, const NodeState& node);
/// Runs those that look at nothing but the pod's needs and the node.
std::optional<Obstacle> FilterNode(const NodeNeeds& needs, const NodeState& node);
/// Runs the others: volumes, and rules about other pods.
std::optional<Obstacle> FilterFurther(const PodInAttempt& pod, const NodeState& node);

/// The weighted sum of scores that look at nothing but the pod's needs and the node.
int64_t NodeScore(const NodeNeeds& needs, const NodeState& node);
/// The weighted sum of the others that do not depend on other nodes.
int64_t FurtherScore(const PodInAttempt& pod, const NodeState& node);

/// Scores that compare nodes with each other, for one attempt.
class ComparedScores {
 public:
  /// Objects that `pod` refers to must outlive this.
  explicit ComparedScores(const PodInAttempt& pod);

  /// Whether any node can be preferred to another; if not, Of is not needed.
  bool matter() const { return !plugins_.empty(); }
  /// Weighted sums, one for each of `nodes`, which are those that fit.
  std::vector<int64_t> Of(std::span<const NodeState* const> nodes) const;

 private:
  const PodInAttempt pod_;
  std::vector<const Plugin*> plugins_;  // those with scores for this pod
};

}  // namespace dray::scheduler::inline plugins
