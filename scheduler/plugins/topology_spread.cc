// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/topology_spread.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "scheduler/plugins/node_affinity.h"
#include "scheduler/plugins/plugin.h"
#include "scheduler/plugins/taint_toleration.h"

namespace dray::scheduler::inline plugins {
namespace {

namespace core_v1 = api::core_v1;

// In units of Work: to look up and count a node label; to check a pod.
constexpr uint64_t kWorkPerPlace = 128;
constexpr uint64_t kWorkPerPod = 32;

/// The node's value of the constraint's key; null: the node lacks the key.
const std::string* PlaceOf(const core_v1::TopologySpreadConstraint& constraint,
                           const core_v1::Node& node) {
  const auto label = node.metadata.labels.find(constraint.topology_key);
  return label == node.metadata.labels.end() ? nullptr : &label->second;
}

/// The same, except that nodes without the key share one place.
std::string_view AnyPlaceOf(const core_v1::TopologySpreadConstraint& constraint,
                            const core_v1::Node& node) {
  const std::string* place = PlaceOf(constraint, node);
  return place == nullptr ? std::string_view() : *place;
}

std::optional<Rejection> FilterSpread(const PodInAttempt& pod, const NodeState& node) {
  return pod.spread == nullptr ? std::nullopt : pod.spread->Filter(node.value());
}

bool IsSpread(const PodInAttempt& pod) {
  return pod.spread != nullptr && pod.spread->has_scores();
}

std::vector<int64_t> ScoreSpread(const PodInAttempt& pod, std::span<const NodeState* const> nodes) {
  return pod.spread->Scores(nodes);
}

}  // namespace

/// Spreads pods that belong together over topology domains.
extern const Plugin kPodTopologySpread{.name = "PodTopologySpread",
                                       .filter = FilterSpread,
                                       .retry = ClusterEvent::kPlacedPods,
                                       .weight = 2,
                                       .has_scores = IsSpread,
                                       .scores = ScoreSpread};

TopologySpread::Constraint TopologySpread::ConstraintOf(
    const core_v1::TopologySpreadConstraint& said, const core_v1::Pod& pod) {
  api::Maybe<api::meta_v1::LabelSelector> selector = said.label_selector;
  for (const std::string& key : said.match_label_keys) {
    const auto label = pod.metadata.labels.find(key);
    if (label == pod.metadata.labels.end() || !selector.has_value()) continue;
    selector->match_expressions.push_back(
        {.key = key, .operator_ = "In", .values = {label->second}});
  }
  Constraint constraint{.said = &said,
                        .selector = std::make_shared<const SaidSelector>(std::move(selector))};
  constraint.selects_us = constraint.selector->read.Matches(pod.metadata.labels);
  return constraint;
}

TopologySpread::TopologySpread(const PodNeeds& needs,
                               std::span<const NodeState* const> nodes,
                               const Neighbours& neighbours,
                               const SpreadDefaults* defaults)
    : needs_(needs), neighbours_(neighbours) {
  const core_v1::Pod& pod = *needs.pod;
  for (const auto& said : pod.spec.topology_spread_constraints) Add(ConstraintOf(said, pod));
  if (pod.spec.topology_spread_constraints.empty() && defaults != nullptr) {
    AddDefaults(*defaults, neighbours);
  }
  if (musts_.empty() && preferred_.empty()) return;
  std::vector<Neighbour> pods = neighbours.all ? neighbours.all() : std::vector<Neighbour>();
  if (!neighbours.MayGoOn(kWorkPerPod * pods.size())) return;
  std::erase_if(pods, [this](const Neighbour& one) { return !IsOurs(*one.pod); });
  CountPods(musts_, nodes, pods);
  CountPods(preferred_, nodes, pods);
}

void TopologySpread::Add(Constraint constraint) {
  auto& constraints = constraint.said->when_unsatisfiable == "DoNotSchedule" ? musts_ : preferred_;
  constraints.push_back(std::move(constraint));
}

void TopologySpread::AddDefaults(const SpreadDefaults& defaults, const Neighbours& neighbours) {
  if (defaults.constraints.empty() || !neighbours.collection_of) return;
  const api::meta_v1::LabelSelector collection = neighbours.collection_of(*needs_.pod);
  if (collection.match_labels.empty() && collection.match_expressions.empty()) return;
  needs_all_keys_ = defaults.needs_all_keys;
  const auto selector = std::make_shared<const SaidSelector>(collection);
  for (const core_v1::TopologySpreadConstraint& said : defaults.constraints) {
    Add({.said = &said,
         .selector = selector,
         .selects_us = selector->read.Matches(needs_.pod->metadata.labels)});
  }
}

TopologySpread::NodeFacts TopologySpread::FactsOf(const core_v1::Node& node) const {
  return {.has_affinity = MatchesAffinity(needs_, node),
          .is_tolerated = !HasForbiddingTaint(node, needs_.tolerations)};
}

/// Whether pods on the node count for the constraint.
bool TopologySpread::Counts(const Constraint& constraint, const NodeFacts& facts) {
  const core_v1::TopologySpreadConstraint& said = *constraint.said;
  const bool honours_affinity = said.node_affinity_policy.value_or("Honor") == "Honor";
  if (honours_affinity && !facts.has_affinity) return false;
  const bool honours_taints = said.node_taints_policy.value_or("Ignore") == "Honor";
  return !honours_taints || facts.is_tolerated;
}

void TopologySpread::Constraint::Open(std::string_view value) {
  if (pods.try_emplace(std::string(value)).second) ++places[0];
}

void TopologySpread::Constraint::Count(std::string_view value, int64_t sign) {
  Open(value);
  int64_t& count = pods.find(value)->second;
  const auto before = places.find(count);
  if (--before->second == 0) places.erase(before);
  count += sign;
  ++places[count];
}

bool TopologySpread::CountsFor(const std::vector<Constraint>& constraints,
                               const core_v1::Node& node) const {
  return !needs_all_keys_ || std::ranges::all_of(constraints, [&](const Constraint& constraint) {
    return PlaceOf(*constraint.said, node) != nullptr;
  });
}

void TopologySpread::CountPods(std::vector<Constraint>& constraints,
                               std::span<const NodeState* const> nodes,
                               const std::vector<Neighbour>& pods) const {
  if (constraints.empty()) return;
  // Facts that all constraints share are computed once per node.
  std::unordered_map<const core_v1::Node*, NodeFacts> counted;
  for (const NodeState* state : nodes) {
    if (!neighbours_.MayGoOn(needs_.work_per_node + kWorkPerPlace * constraints.size())) return;
    if (CountsFor(constraints, state->value())) {
      counted.emplace(&state->value(), FactsOf(state->value()));
    }
  }
  for (Constraint& constraint : constraints) {
    if (!neighbours_.MayGoOn(kWorkPerPlace * (counted.size() + pods.size()))) return;
    for (const auto& [node, facts] : counted) {
      if (Counts(constraint, facts)) constraint.Open(AnyPlaceOf(*constraint.said, *node));
    }
    for (const Neighbour& one : pods) {
      const auto facts = counted.find(one.node);
      if (facts == counted.end() || !Counts(constraint, facts->second)) continue;
      if (Counts(constraint, *one.pod))
        constraint.Count(AnyPlaceOf(*constraint.said, *one.node), 1);
    }
  }
}

/// Whether the constraints may count the pod: it has the same namespace and is not being deleted.
bool TopologySpread::IsOurs(const core_v1::Pod& pod) const {
  return !pod.metadata.deletion_timestamp &&
         pod.metadata.namespace_ == needs_.pod->metadata.namespace_;
}

/// Whether the constraint counts the pod.
bool TopologySpread::Counts(const Constraint& constraint, const core_v1::Pod& pod) const {
  const KeyedSelector& selector = constraint.selector->read;
  neighbours_.MayGoOn(selector.WorkOfMatching(pod.metadata.labels));
  // An empty selector selects nothing here, as upstream counts.
  return !selector.IsEverything() && IsOurs(pod) && selector.Matches(pod.metadata.labels);
}

void TopologySpread::Move(const Neighbour& neighbour, int64_t sign) {
  const core_v1::Node& node = *neighbour.node;
  if (musts_.empty() || !CountsFor(musts_, node)) return;
  const NodeFacts facts = FactsOf(node);
  neighbours_.MayGoOn(needs_.work_per_node + kWorkPerPlace * musts_.size());
  for (Constraint& constraint : musts_) {
    if (!Counts(constraint, facts) || !Counts(constraint, *neighbour.pod)) continue;
    constraint.Count(AnyPlaceOf(*constraint.said, node), sign);
  }
}

std::optional<Rejection> TopologySpread::Filter(const core_v1::Node& node) const {
  neighbours_.MayGoOn(kWorkPerPlace * musts_.size());
  for (const Constraint& constraint : musts_) {
    const std::string* place = PlaceOf(*constraint.said, node);
    if (place == nullptr) {
      return Rejection{.reasons = {"node(s) didn't match pod topology spread constraints (missing "
                                   "required label)"}};
    }
    int64_t least = constraint.Least();
    const auto domains = static_cast<int32_t>(constraint.pods.size());
    if (domains < constraint.said->min_domains.value_or(1)) least = 0;
    const auto found = constraint.pods.find(*place);
    const int64_t here = found == constraint.pods.end() ? 0 : found->second;
    if (here + (constraint.selects_us ? 1 : 0) - least > constraint.said->max_skew) {
      return Rejection{.reasons = {"node(s) didn't match pod topology spread constraints"},
                       .unresolvable = false};
    }
  }
  return std::nullopt;
}

std::vector<int64_t> TopologySpread::Scores(std::span<const NodeState* const> nodes) const {
  if (!neighbours_.MayGoOn(4 * kWorkPerPlace * nodes.size() * preferred_.size())) {
    return std::vector<int64_t>(nodes.size());
  }
  // Nodes without the keys score 0; the others are compared with each other.
  std::vector<std::optional<int64_t>> raw(nodes.size());
  std::vector<std::set<std::string_view>> places(preferred_.size());
  for (const NodeState* state : nodes) {
    if (!CountsFor(preferred_, state->value())) continue;
    for (size_t i = 0; i < preferred_.size(); ++i) {
      places[i].insert(AnyPlaceOf(*preferred_[i].said, state->value()));
    }
  }
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t most = 0;
  for (size_t at = 0; at < nodes.size(); ++at) {
    const core_v1::Node& node = nodes[at]->value();
    if (!CountsFor(preferred_, node)) continue;
    double score = 0;
    for (size_t i = 0; i < preferred_.size(); ++i) {
      const std::string* place = PlaceOf(*preferred_[i].said, node);
      if (place == nullptr) continue;
      const auto found = preferred_[i].pods.find(*place);
      const int64_t here = found == preferred_[i].pods.end() ? 0 : found->second;
      const double weight = std::log(static_cast<double>(places[i].size() + 2));
      score += static_cast<double>(here) * weight + (preferred_[i].said->max_skew - 1);
    }
    raw[at] = static_cast<int64_t>(std::round(score));
    least = std::min(least, *raw[at]);
    most = std::max(most, *raw[at]);
  }
  std::vector<int64_t> scores;
  for (const std::optional<int64_t>& one : raw) {
    const int64_t score =
        most == 0 ? kScoreMax : kScoreMax * (most + least - one.value_or(0)) / most;
    scores.push_back(one ? score : 0);
  }
  return scores;
}

}  // namespace dray::scheduler::inline plugins
