// SPDX-License-Identifier: Apache-2.0
// Pods that are to be spread over the zones of a cluster: upstream's plugin PodTopologySpread, with
// the constraints that pods have themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/meta_v1/label_selector.h"
#include "scheduler/cluster/keyed_selector.h"
#include "scheduler/cluster/neighbours.h"
#include "scheduler/plugins/pod_needs.h"
#include "scheduler/plugins/spread_defaults.h"

namespace dray::scheduler::inline plugins {

class TopologySpread {
 public:
  /// `pod`, `defaults`, `neighbours` and `nodes`, which are all there are, outlive this.
  /// `defaults`: for a pod that says nothing and belongs to others; null: there are none. Without
  /// constraints it costs nothing, otherwise O(pods + nodes) for each, within neighbours.work.
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
  /// A selector with the texts that it refers to.
  struct SaidSelector {
    explicit SaidSelector(std::optional<api::meta_v1::LabelSelector> what)
        : said(std::move(what)), read(said) {}

    const std::optional<api::meta_v1::LabelSelector> said;
    const KeyedSelector read;
  };
  struct Constraint {
    const api::core_v1::TopologySpreadConstraint* said;
    std::shared_ptr<const SaidSelector> selector;
    bool selects_us = false;
    std::map<std::string, int64_t, std::less<>> pods = {};  // by value of the topology key
    std::map<int64_t, size_t> places = {};  // how many of these values have so many pods

    /// Makes a place of the value.
    void Open(std::string_view value);
    void Count(std::string_view value, int64_t sign);
    int64_t Least() const { return places.empty() ? 0 : places.begin()->first; }
  };

  void AddDefaults(const SpreadDefaults& defaults, const Neighbours& neighbours);
  void Add(Constraint constraint);
  static Constraint ConstraintOf(const api::core_v1::TopologySpreadConstraint& said,
                                 const api::core_v1::Pod& pod);
  /// What constraints may ask about a node, found out once.
  struct NodeFacts {
    bool has_affinity = false;  // the pod may be there by its affinity
    bool is_tolerated = false;
  };
  NodeFacts FactsOf(const api::core_v1::Node& node) const;
  static bool Counts(const Constraint& constraint, const NodeFacts& facts);
  bool Counts(const Constraint& constraint, const api::core_v1::Pod& pod) const;
  bool IsOurs(const api::core_v1::Pod& pod) const;
  bool CountsFor(const std::vector<Constraint>& constraints, const api::core_v1::Node& node) const;
  void CountPods(std::vector<Constraint>& constraints,
                 std::span<const NodeState* const> nodes,
                 const std::vector<Neighbour>& pods) const;

  const PodNeeds& needs_;
  const Neighbours& neighbours_;
  bool needs_all_keys_ = true;
  std::vector<Constraint> musts_;
  std::vector<Constraint> wishes_;
};

}  // namespace dray::scheduler::inline plugins
