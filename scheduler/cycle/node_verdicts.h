// SPDX-License-Identifier: Apache-2.0
// What the filters and scores that look at nothing but a pod's needs and a node said, kept for the
// next pods with equal needs: a node is asked again when it has changed. The pods of a workload
// have equal needs, and each of them changes one node, so most nodes are not asked again.
//
// The answers are those without it. Such a plugin is a function of the pod's NodeNeeds and of the
// node (plugin.h), and NodeState::version names the content of the node, devices of nodes and
// pods nominated for them aside, for which the state is a copy without a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <utility>
#include <vector>

#include "base/frozen.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/plugins/plugin.h"
#include "scheduler/plugins/pod_needs.h"

namespace dray::scheduler::inline cycle {

/// Whether a pod fits on a node, as far as the two alone decide, and how well.
struct NodeVerdict {
  Frozen<Obstacle> obstacle;  // null: it may fit
  int64_t score = 0;          // NodeScore, if it may fit
};

/// Asks the plugins.
NodeVerdict JudgeNode(const NodeNeeds& needs, const NodeState& node);

/// The verdicts for pods with equal needs.
class VerdictsForNeeds {
 public:
  explicit VerdictsForNeeds(NodeNeeds needs) : needs_(std::move(needs)) {}

  const NodeNeeds& needs() const { return needs_; }
  /// What is kept about the content of the node; null: nothing.
  const NodeVerdict* Find(const NodeState& node) const;
  /// Keeps what JudgeNode said, unless the content of the node has no name.
  void Keep(const NodeState& node, const NodeVerdict& verdict);

 private:
  struct Kept {
    uint64_t version = 0;
    NodeVerdict verdict;
  };

  const NodeNeeds needs_;
  std::vector<Kept> kept_;  // by slot
};

/// Verdicts about the nodes of one cluster cache, for kNeedsMax different needs, those used last.
/// Memory: 32 bytes for each of them and each node. Not thread-safe.
class NodeVerdicts {
 public:
  static constexpr size_t kNeedsMax = 16;

  /// Those for pods with these needs. Valid until the next call. O(kNeedsMax × needs).
  VerdictsForNeeds& For(const NodeNeeds& needs);
  size_t size() const { return by_needs_.size(); }

 private:
  std::list<VerdictsForNeeds> by_needs_;  // those used last come first
};

}  // namespace dray::scheduler::inline cycle
