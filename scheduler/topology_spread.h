// SPDX-License-Identifier: Apache-2.0
// Pods that are to be spread over the zones of a cluster: upstream's plugin PodTopologySpread, with
// the constraints that pods have themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/selectors/label_selector.h"
#include "scheduler/neighbours.h"
#include "scheduler/node_filter.h"
#include "scheduler/spread_defaults.h"

namespace dray::scheduler {

class TopologySpread {
 public:
  /// `pod`, `defaults` and `nodes`, which are all there are, outlive this. `defaults`: for a pod
  /// that says nothing and belongs to others; null: there are none. Without constraints it costs
  /// nothing, otherwise O(pods + nodes) for each.
  TopologySpread(const PodNeeds& needs,
                 std::span<const NodeState* const> nodes,
                 const Neighbours& neighbours,
                 const SpreadDefaults* defaults = nullptr);

  /// A pod comes (1) or goes (-1) that counts for Filter.
  void Move(const Neighbour& neighbour, int64_t sign);

  /// Why the node does not do.
  std::optional<Rejection> Filter(const api::core_v1::Node& node) const;
  bool has_scores() const { return !wishes_.empty(); }
  /// 0 to 100 for each of the nodes that do.
  std::vector<int64_t> Scores(std::span<const NodeState* const> nodes) const;

 private:
  struct Constraint {
    const api::core_v1::TopologySpreadConstraint* said;
    api::LabelSelector selector;
    bool selects_us = false;
    std::map<std::string, int64_t, std::less<>> pods = {};  // by value of the topology key
  };

  void AddDefaults(const SpreadDefaults& defaults, const Neighbours& neighbours);
  void Add(Constraint constraint);
  static Constraint ConstraintOf(const api::core_v1::TopologySpreadConstraint& said,
                                 const api::core_v1::Pod& pod);
  bool Counts(const Constraint& constraint, const api::core_v1::Node& node) const;
  bool Counts(const Constraint& constraint, const api::core_v1::Pod& pod) const;
  bool CountsFor(const std::vector<Constraint>& constraints, const api::core_v1::Node& node) const;
  void CountPods(std::vector<Constraint>& constraints,
                 std::span<const NodeState* const> nodes,
                 const std::vector<Neighbour>& pods) const;

  const PodNeeds& needs_;
  bool needs_all_keys_ = true;
  std::vector<Constraint> musts_;
  std::vector<Constraint> wishes_;
};

}  // namespace dray::scheduler
