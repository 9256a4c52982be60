// SPDX-License-Identifier: Apache-2.0
// Which of the nodes that do is the best: upstream's scores with upstream's default weights, but
// for images, which nobody has here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scheduler/cluster/neighbours.h"
#include "scheduler/plugins/node_filter.h"
#include "scheduler/plugins/pod_affinity.h"
#include "scheduler/plugins/topology_spread.h"

namespace dray::scheduler::inline plugins {

/// How many nodes that do are compared: all of up to 100, of more a part that shrinks to 5 %.
/// Source: kube-scheduler's percentageOfNodesToScore.
size_t NodesToCompare(size_t nodes);

/// How much is left on the node with the pod on it (NodeResourcesFit, LeastAllocated), and how
/// evenly processors and memory are used (NodeResourcesBalancedAllocation): 0 to 200, whatever the
/// other nodes are like.
int64_t OwnScore(const PodNeeds& needs, const NodeState& state);

/// What depends on all nodes that do: taints, the pod's preferences of nodes and of other pods, how
/// it is to be spread. For one attempt.
class RelativeScores {
 public:
  /// The arguments outlive it. `nodes` are all.
  RelativeScores(const PodNeeds& needs,
                 std::span<const NodeState* const> nodes,
                 const PodAffinity& affinity,
                 const TopologySpread& spread);

  /// Whether any node can be preferred to another; if not, there is no need to ask.
  bool matter() const {
    return taints_ || has_preferences_ || affinity_.has_scores() || spread_.has_scores();
  }
  /// Weighted sums, one for each node.
  std::vector<int64_t> Of(std::span<const NodeState* const> nodes) const;

 private:
  const PodNeeds& needs_;
  const PodAffinity& affinity_;
  const TopologySpread& spread_;
  bool taints_ = false;
  bool has_preferences_ = false;
};

/// Adds scores of prioritized lists (KEP-4816), one for each node, to `sums`.
void AddDeviceScores(std::span<const int64_t> scores, std::vector<int64_t>& sums);

}  // namespace dray::scheduler::inline plugins
