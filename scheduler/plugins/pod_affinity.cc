// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/pod_affinity.h"

#include <algorithm>
#include <memory>

#include "scheduler/plugins/plugin.h"

namespace dray::scheduler::inline plugins {
namespace {

namespace core_v1 = api::core_v1;

// The weight of an existing pod's required affinity as a preference of other pods to be near it:
// upstream's default of hardPodAffinityWeight.
constexpr int64_t kRequiredWeight = 1;

// The cost of a lookup of one node label.
constexpr uint64_t kWorkOfPlace = 64;

std::optional<Rejection> FilterPods(const PodInAttempt& pod, const NodeState& node) {
  return pod.affinity == nullptr ? std::nullopt : pod.affinity->Filter(node.value());
}

bool LikesPods(const PodInAttempt& pod) {
  return pod.affinity != nullptr && pod.affinity->has_scores();
}

std::vector<int64_t> ScorePods(const PodInAttempt& pod, std::span<const NodeState* const> nodes) {
  return pod.affinity->Scores(nodes);
}

}  // namespace

/// Requires places with the required pods and without the forbidden ones, and prefers places with
/// preferred pods. Applies the rules of other pods about this one, too.
extern const Plugin kInterPodAffinity{.name = "InterPodAffinity",
                                      .filter = FilterPods,
                                      .retry = ClusterEvent::kPlacedPods,
                                      .weight = 2,
                                      .has_scores = LikesPods,
                                      .scores = ScorePods,
                                      .arguments = R"(hardPodAffinityWeight: 1
ignorePreferredTermsOfExistingPods: false)"};

PodAffinity::PodAffinity(const core_v1::Pod& pod, const Neighbours& neighbours)
    : pod_(pod), neighbours_(neighbours) {
  if (HasPodAffinity(pod)) {
    rules_ = std::make_shared<const AffinityRules>(pod);
    is_own_company_ = MatchesAll(rules_->required(), pod);
  }
  if (rules_ != nullptr && neighbours.all) {
    for (const Neighbour& neighbour : neighbours.all()) {
      if (!neighbours.MayGoOn(kWorkOfPlace)) return;
      LookAt(neighbour);
    }
  }
  if (neighbours.with_rules_about) {
    for (const Neighbour& neighbour : neighbours.with_rules_about(pod)) {
      if (!neighbours.MayGoOn(kWorkOfPlace)) return;
      LookAtRulesOf(neighbour);
    }
  }
}

bool PodAffinity::Matches(const AffinityTerm& term, const core_v1::Pod& pod) const {
  if (!neighbours_.MayGoOn(term.selector.WorkOfMatching(pod.metadata.labels))) return false;
  if (!term.selector.Matches(pod.metadata.labels)) return false;
  const std::string_view namespace_name = pod.metadata.namespace_;
  if (std::ranges::binary_search(term.namespaces, namespace_name)) return true;
  if (!term.namespace_selector) return false;
  if (term.namespace_selector->IsEverything()) return true;
  const api::Labels* labels =
      neighbours_.labels_of_namespace ? neighbours_.labels_of_namespace(namespace_name) : nullptr;
  return labels != nullptr && term.namespace_selector->Matches(*labels);
}

bool PodAffinity::MatchesAll(const Terms& terms, const core_v1::Pod& pod) const {
  return !terms.empty() &&
         std::ranges::all_of(terms, [&](const AffinityTerm& term) { return Matches(term, pod); });
}

void PodAffinity::Count(Counts& counts,
                        std::string_view key,
                        const core_v1::Node& node,
                        int64_t amount) {
  const auto label = node.metadata.labels.find(key);
  if (label == node.metadata.labels.end()) return;
  auto& values = counts[std::string(key)];
  const auto value = values.try_emplace(label->second, 0).first;
  value->second += amount;
  if (value->second != 0) return;
  values.erase(value);
  if (values.empty()) counts.erase(counts.find(key));
}

/// The sum of the counts at the node's places. O(keys log values).
int64_t PodAffinity::At(const Counts& counts, const core_v1::Node& node) {
  int64_t sum = 0;
  for (const auto& [key, values] : counts) {
    const auto label = node.metadata.labels.find(key);
    if (label == node.metadata.labels.end()) continue;
    const auto value = values.find(label->second);
    if (value != values.end()) sum += value->second;
  }
  return sum;
}

void PodAffinity::CountMusts(const Neighbour& neighbour, int64_t sign) {
  const core_v1::Pod& pod = *neighbour.pod;
  if (MatchesAll(rules_->required(), pod)) {
    for (const AffinityTerm& term : rules_->required()) {
      Count(company_, term.topology_key, *neighbour.node, sign);
    }
  }
  for (const AffinityTerm& term : rules_->forbidden()) {
    if (Matches(term, pod)) Count(unwanted_, term.topology_key, *neighbour.node, sign);
  }
}

void PodAffinity::CountMustsOf(const AffinityRules& rules,
                               const core_v1::Node& node,
                               int64_t sign) {
  for (const AffinityTerm& term : rules.forbidden()) {
    if (Matches(term, pod_)) Count(closed_, term.topology_key, node, sign);
  }
}

void PodAffinity::Move(const Neighbour& neighbour, int64_t sign) {
  if (rules_ != nullptr) CountMusts(neighbour, sign);
  if (neighbour.rules != nullptr) {
    CountMustsOf(*neighbour.rules, *neighbour.node, sign);
  } else if (HasPodAffinity(*neighbour.pod)) {
    CountMustsOf(AffinityRules(*neighbour.pod), *neighbour.node, sign);
  }
}

/// Applies our pod's rules to another pod.
void PodAffinity::LookAt(const Neighbour& neighbour) {
  CountMusts(neighbour, 1);
  Like(rules_->preferred(), *neighbour.pod, *neighbour.node, Weigh::kFor);
  Like(rules_->disliked(), *neighbour.pod, *neighbour.node, Weigh::kAgainst);
}

/// Applies another pod's rules to our pod.
void PodAffinity::LookAtRulesOf(const Neighbour& neighbour) {
  std::optional<AffinityRules> read;
  const AffinityRules& rules =
      neighbour.rules != nullptr ? *neighbour.rules : read.emplace(*neighbour.pod);
  CountMustsOf(rules, *neighbour.node, 1);
  for (const AffinityTerm& term : rules.required()) {
    if (Matches(term, pod_)) Count(liked_, term.topology_key, *neighbour.node, kRequiredWeight);
  }
  Like(rules.preferred(), pod_, *neighbour.node, Weigh::kFor);
  Like(rules.disliked(), pod_, *neighbour.node, Weigh::kAgainst);
}

void PodAffinity::Like(const Terms& terms,
                       const core_v1::Pod& about,
                       const core_v1::Node& node,
                       Weigh weigh) {
  for (const AffinityTerm& term : terms) {
    if (!Matches(term, about)) continue;
    Count(liked_, term.topology_key, node, term.weight * static_cast<int64_t>(weigh));
  }
}

bool PodAffinity::HasRequired(const core_v1::Node& node) const {
  if (rules_ == nullptr) return true;
  const auto& labels = node.metadata.labels;
  const Terms& required = rules_->required();
  const bool has_keys = std::ranges::all_of(
      required, [&](const AffinityTerm& term) { return labels.contains(term.topology_key); });
  if (!has_keys) return false;
  // The first pod of a set that wants to be together may go anywhere.
  if (company_.empty() && is_own_company_) return true;
  return std::ranges::all_of(required, [&](const AffinityTerm& term) {
    const auto values = company_.find(term.topology_key);
    return values != company_.end() &&
           values->second.contains(labels.find(term.topology_key)->second);
  });
}

std::optional<Rejection> PodAffinity::Filter(const core_v1::Node& node) const {
  const size_t terms = rules_ == nullptr ? 0 : rules_->required().size();
  neighbours_.MayGoOn(kWorkOfPlace * (terms + unwanted_.size() + closed_.size()));
  if (!HasRequired(node)) {
    return Rejection{.reasons = {"node(s) didn't match pod affinity rules"}};
  }
  if (At(unwanted_, node) != 0) {
    return Rejection{.reasons = {"node(s) didn't match pod anti-affinity rules"},
                     .unresolvable = false};
  }
  if (At(closed_, node) != 0) {
    return Rejection{.reasons = {"node(s) didn't satisfy existing pods anti-affinity rules"},
                     .unresolvable = false};
  }
  return std::nullopt;
}

std::vector<int64_t> PodAffinity::Scores(std::span<const NodeState* const> nodes) const {
  std::vector<int64_t> scores;
  for (const NodeState* state : nodes) {
    if (!neighbours_.MayGoOn(kWorkOfPlace * liked_.size())) break;
    scores.push_back(At(liked_, state->value()));
  }
  scores.resize(nodes.size());
  if (scores.empty()) return scores;
  const auto [least, most] = std::ranges::minmax(scores);
  for (int64_t& score : scores) {
    score = most == least ? 0
                          : static_cast<int64_t>(static_cast<double>(kScoreMax) *
                                                 (static_cast<double>(score - least) /
                                                  static_cast<double>(most - least)));
  }
  return scores;
}

}  // namespace dray::scheduler::inline plugins
