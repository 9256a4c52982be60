// SPDX-License-Identifier: Apache-2.0
// Spreads pods over topology domains such as zones: upstream's plugin PodTopologySpread, with the
// constraints of the pods or the default ones.
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
  /// `pod`, `defaults`, `neighbours` and `nodes` (all nodes of the cluster) must outlive this.
  /// `defaults`: for a pod without constraints that belongs with other pods; null: there are none.
  /// Costs nothing without constraints, otherwise O(pods + nodes) for each, within neighbours.work.
  TopologySpread(const PodNeeds& needs,
                 std::span<const NodeState* const> nodes,
                 const Neighbours& neighbours,
                 const SpreadDefaults* defaults = nullptr);

  /// Adds (1) or removes (-1) a pod for Filter.
  void Move(const Neighbour& neighbour, int64_t sign);

  /// Why the node is rejected.
  std::optional<Rejection> Filter(const api::core_v1::Node& node) const;
  bool has_scores() const { return !preferred_.empty(); }
  /// 0 to 100 for each of `nodes`, which are those that fit.
  std::vector<int64_t> Scores(std::span<const NodeState* const> nodes) const;

 private:
  /// A selector with the strings that it refers to.
  struct SaidSelector {
    explicit SaidSelector(api::Maybe<api::meta_v1::LabelSelector> what)
        : said(std::move(what)), read(said) {}

    const api::Maybe<api::meta_v1::LabelSelector> said;
    const KeyedSelector read;
  };
  struct Constraint {
    const api::core_v1::TopologySpreadConstraint* said;
    std::shared_ptr<const SaidSelector> selector;
    bool selects_us = false;
    std::map<std::string, int64_t, std::less<>> pods = {};  // by value of the topology key
    std::map<int64_t, size_t> places = {};                  // number of pods → number of values

    /// Adds the value as a domain without pods.
    void Open(std::string_view value);
    void Count(std::string_view value, int64_t sign);
    int64_t Least() const { return places.empty() ? 0 : places.begin()->first; }
  };

  void AddDefaults(const SpreadDefaults& defaults, const Neighbours& neighbours);
  void Add(Constraint constraint);
  static Constraint ConstraintOf(const api::core_v1::TopologySpreadConstraint& said,
                                 const api::core_v1::Pod& pod);
  /// Facts about a node for all constraints, computed once.
  struct NodeFacts {
    bool has_affinity = false;  // the pod's affinity matches the node
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
  std::vector<Constraint> preferred_;
};

}  // namespace dray::scheduler::inline plugins
