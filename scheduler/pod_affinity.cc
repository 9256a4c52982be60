// SPDX-License-Identifier: Apache-2.0
#include "scheduler/pod_affinity.h"

#include <algorithm>
#include <string_view>

#include "api/meta_v1/label_selector.h"
#include "scheduler/node_filter.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;

// What a required affinity of a pod that is there already counts for, as a preference of others to
// be near it: upstream's default of hardPodAffinityWeight.
constexpr int64_t kRequiredWeight = 1;

using Terms = std::vector<core_v1::PodAffinityTerm>;
using WeightedTerms = std::vector<core_v1::WeightedPodAffinityTerm>;

/// The terms in `part` of what the pod wants near it, or away from it (`side`).
template <typename Side, typename List>
const List& TermsIn(const core_v1::Pod& pod,
                    std::optional<Side> core_v1::Affinity::* side,
                    List Side::* part) {
  static const List kNone;
  const auto& affinity = pod.spec.affinity;
  return affinity && (*affinity).*side ? *((*affinity).*side).*part : kNone;
}

const Terms& Required(const core_v1::Pod& pod) {
  return TermsIn(pod,
                 &core_v1::Affinity::pod_affinity,
                 &core_v1::PodAffinity::required_during_scheduling_ignored_during_execution);
}

const Terms& Forbidden(const core_v1::Pod& pod) {
  return TermsIn(pod,
                 &core_v1::Affinity::pod_anti_affinity,
                 &core_v1::PodAntiAffinity::required_during_scheduling_ignored_during_execution);
}

const WeightedTerms& Preferred(const core_v1::Pod& pod) {
  return TermsIn(pod,
                 &core_v1::Affinity::pod_affinity,
                 &core_v1::PodAffinity::preferred_during_scheduling_ignored_during_execution);
}

const WeightedTerms& Disliked(const core_v1::Pod& pod) {
  return TermsIn(pod,
                 &core_v1::Affinity::pod_anti_affinity,
                 &core_v1::PodAntiAffinity::preferred_during_scheduling_ignored_during_execution);
}

}  // namespace

api::LabelSelector SelectorOf(const std::optional<api::meta_v1::LabelSelector>& selector) {
  if (!selector) return api::LabelSelector::Nothing();
  std::vector<api::LabelSelector::Expression> expressions;
  for (const auto& one : selector->match_expressions) {
    expressions.push_back({.key = one.key, .op = one.operator_, .values = one.values});
  }
  // The API server has refused what cannot be read; of other servers it selects nothing.
  return api::LabelSelector::FromParts(selector->match_labels, expressions)
      .value_or(api::LabelSelector::Nothing());
}

bool HasPodAffinity(const core_v1::Pod& pod) {
  const auto& affinity = pod.spec.affinity;
  return affinity && (affinity->pod_affinity || affinity->pod_anti_affinity);
}

PodAffinity::PodAffinity(const core_v1::Pod& pod, const Neighbours& neighbours)
    : pod_(pod),
      neighbours_(neighbours),
      required_(TermsOf(Required(pod), pod)),
      forbidden_(TermsOf(Forbidden(pod), pod)) {
  if (HasPodAffinity(pod) && neighbours.all) {
    for (const Neighbour& neighbour : neighbours.all()) LookAt(neighbour);
  }
  if (neighbours.with_affinity) {
    for (const Neighbour& neighbour : neighbours.with_affinity()) LookAtRulesOf(neighbour);
  }
}

PodAffinity::Term PodAffinity::TermOf(const core_v1::PodAffinityTerm& term,
                                      const core_v1::Pod& owner,
                                      int64_t weight) {
  Term read{.topology_key = term.topology_key,
            .selector = SelectorOf(term.label_selector),
            .namespaces = {term.namespaces.begin(), term.namespaces.end()},
            .namespace_selector = std::nullopt,
            .weight = weight};
  if (term.namespace_selector) {
    read.namespace_selector = SelectorOf(term.namespace_selector);
  } else if (read.namespaces.empty()) {
    read.namespaces.insert(owner.metadata.namespace_);
  }
  return read;
}

std::vector<PodAffinity::Term> PodAffinity::TermsOf(
    const std::vector<core_v1::PodAffinityTerm>& terms, const core_v1::Pod& owner) {
  std::vector<Term> read;
  read.reserve(terms.size());
  for (const core_v1::PodAffinityTerm& term : terms) read.push_back(TermOf(term, owner, 0));
  return read;
}

bool PodAffinity::Matches(const Term& term, const core_v1::Pod& pod) const {
  if (!term.selector.Matches(pod.metadata.labels)) return false;
  if (term.namespaces.contains(pod.metadata.namespace_)) return true;
  if (!term.namespace_selector) return false;
  if (term.namespace_selector->IsEverything()) return true;
  const api::Labels* labels = neighbours_.labels_of_namespace
                                  ? neighbours_.labels_of_namespace(pod.metadata.namespace_)
                                  : nullptr;
  return labels != nullptr && term.namespace_selector->Matches(*labels);
}

bool PodAffinity::MatchesAll(const std::vector<Term>& terms, const core_v1::Pod& pod) const {
  return !terms.empty() &&
         std::ranges::all_of(terms, [&](const Term& term) { return Matches(term, pod); });
}

void PodAffinity::Count(Counts& counts,
                        const std::string& key,
                        const core_v1::Node& node,
                        int64_t amount) {
  const auto label = node.metadata.labels.find(key);
  if (label == node.metadata.labels.end()) return;
  const auto place = counts.try_emplace({key, label->second}, 0).first;
  place->second += amount;
  if (place->second == 0) counts.erase(place);
}

void PodAffinity::CountMusts(const Neighbour& neighbour, int64_t sign) {
  const auto& [pod, node] = neighbour;
  if (MatchesAll(required_, *pod)) {
    for (const Term& term : required_) Count(company_, term.topology_key, *node, sign);
  }
  for (const Term& term : forbidden_) {
    if (Matches(term, *pod)) Count(unwanted_, term.topology_key, *node, sign);
  }
}

void PodAffinity::CountMustsOf(const Neighbour& neighbour, int64_t sign) {
  const auto& [pod, node] = neighbour;
  for (const Term& term : TermsOf(Forbidden(*pod), *pod)) {
    if (Matches(term, pod_)) Count(closed_, term.topology_key, *node, sign);
  }
}

void PodAffinity::Move(const Neighbour& neighbour, int64_t sign) {
  if (!required_.empty() || !forbidden_.empty()) CountMusts(neighbour, sign);
  if (HasPodAffinity(*neighbour.pod)) CountMustsOf(neighbour, sign);
}

/// What the rules of our pod say of another.
void PodAffinity::LookAt(const Neighbour& neighbour) {
  const auto& [pod, node] = neighbour;
  CountMusts(neighbour, 1);
  Like(Preferred(pod_), pod_, *pod, *node, Weigh::kFor);
  Like(Disliked(pod_), pod_, *pod, *node, Weigh::kAgainst);
}

/// What the rules of another pod say of ours.
void PodAffinity::LookAtRulesOf(const Neighbour& neighbour) {
  const auto& [pod, node] = neighbour;
  CountMustsOf(neighbour, 1);
  for (const Term& term : TermsOf(Required(*pod), *pod)) {
    if (Matches(term, pod_)) Count(liked_, term.topology_key, *node, kRequiredWeight);
  }
  Like(Preferred(*pod), *pod, pod_, *node, Weigh::kFor);
  Like(Disliked(*pod), *pod, pod_, *node, Weigh::kAgainst);
}

void PodAffinity::Like(const std::vector<core_v1::WeightedPodAffinityTerm>& terms,
                       const core_v1::Pod& owner,
                       const core_v1::Pod& about,
                       const core_v1::Node& node,
                       Weigh weigh) {
  for (const core_v1::WeightedPodAffinityTerm& weighted : terms) {
    const Term term = TermOf(weighted.pod_affinity_term, owner, weighted.weight);
    if (!Matches(term, about)) continue;
    Count(liked_, term.topology_key, node, term.weight * static_cast<int64_t>(weigh));
  }
}

bool PodAffinity::HasRequired(const core_v1::Node& node) const {
  const auto& labels = node.metadata.labels;
  const bool has_keys = std::ranges::all_of(
      required_, [&](const Term& term) { return labels.contains(term.topology_key); });
  if (!has_keys) return false;
  // The first of pods that want to be together may go anywhere.
  if (company_.empty() && MatchesAll(required_, pod_)) return true;
  return std::ranges::all_of(required_, [&](const Term& term) {
    return company_.contains({term.topology_key, labels.at(term.topology_key)});
  });
}

std::optional<Rejection> PodAffinity::Filter(const core_v1::Node& node) const {
  const auto is_at = [&](const Counts& places) {
    return std::ranges::any_of(places, [&](const auto& place) {
      const auto label = node.metadata.labels.find(place.first.first);
      return label != node.metadata.labels.end() && label->second == place.first.second;
    });
  };
  if (!HasRequired(node)) {
    return Rejection{.reasons = {"node(s) didn't match pod affinity rules"}};
  }
  if (is_at(unwanted_)) {
    return Rejection{.reasons = {"node(s) didn't match pod anti-affinity rules"},
                     .unresolvable = false};
  }
  if (is_at(closed_)) {
    return Rejection{.reasons = {"node(s) didn't satisfy existing pods anti-affinity rules"},
                     .unresolvable = false};
  }
  return std::nullopt;
}

std::vector<int64_t> PodAffinity::Scores(std::span<const NodeState* const> nodes) const {
  std::vector<int64_t> scores;
  for (const NodeState* state : nodes) {
    const auto& labels = state->value().metadata.labels;
    int64_t score = 0;
    for (const auto& [place, points] : liked_) {
      const auto label = labels.find(place.first);
      if (label != labels.end() && label->second == place.second) score += points;
    }
    scores.push_back(score);
  }
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

}  // namespace dray::scheduler
