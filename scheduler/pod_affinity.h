// SPDX-License-Identifier: Apache-2.0
// Affinity and anti-affinity between pods: upstream's plugin InterPodAffinity.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/core_v1/affinity.h"
#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/selectors/label_selector.h"
#include "scheduler/neighbours.h"
#include "scheduler/node_filter.h"

namespace dray::scheduler {

/// The selector as the API means it: absent selects nothing, empty everything.
api::LabelSelector SelectorOf(const std::optional<api::meta_v1::LabelSelector>& selector);

/// Whether `pod` has any rule about other pods.
bool HasPodAffinity(const api::core_v1::Pod& pod);

/// One attempt's view of the rules of a pod about others, and of others about it.
class PodAffinity {
 public:
  /// `pod` outlives this. Without rules, and without pods that have any, it costs nothing;
  /// otherwise O(pods that are concerned × terms).
  PodAffinity(const api::core_v1::Pod& pod, const Neighbours& neighbours);

  /// A pod comes (1) or goes (-1) that counts for Filter.
  void Move(const Neighbour& neighbour, int64_t sign);

  /// Why the node does not do. O(terms + places that are forbidden).
  std::optional<Rejection> Filter(const api::core_v1::Node& node) const;
  /// Whether some nodes are liked better than others.
  bool has_scores() const { return !liked_.empty(); }
  /// 0 to 100 for each of the nodes that do.
  std::vector<int64_t> Scores(std::span<const NodeState* const> nodes) const;

 private:
  /// A term, with its selectors read.
  struct Term {
    std::string topology_key;
    api::LabelSelector selector;
    std::set<std::string, std::less<>> namespaces;
    std::optional<api::LabelSelector> namespace_selector;
    int64_t weight = 0;
  };
  using Place = std::pair<std::string, std::string>;  // a label of nodes and its value
  using Counts = std::map<Place, int64_t>;
  enum class Weigh : int8_t { kFor = 1, kAgainst = -1 };

  static Term TermOf(const api::core_v1::PodAffinityTerm& term,
                     const api::core_v1::Pod& owner,
                     int64_t weight);
  static std::vector<Term> TermsOf(const std::vector<api::core_v1::PodAffinityTerm>& terms,
                                   const api::core_v1::Pod& owner);
  bool Matches(const Term& term, const api::core_v1::Pod& pod) const;
  bool MatchesAll(const std::vector<Term>& terms, const api::core_v1::Pod& pod) const;
  static void Count(Counts& counts,
                    const std::string& key,
                    const api::core_v1::Node& node,
                    int64_t amount);
  void CountMusts(const Neighbour& neighbour, int64_t sign);
  void CountMustsOf(const Neighbour& neighbour, int64_t sign);
  void LookAt(const Neighbour& neighbour);
  void LookAtRulesOf(const Neighbour& neighbour);
  void Like(const std::vector<api::core_v1::WeightedPodAffinityTerm>& terms,
            const api::core_v1::Pod& owner,
            const api::core_v1::Pod& about,
            const api::core_v1::Node& node,
            Weigh weigh);
  bool HasRequired(const api::core_v1::Node& node) const;

  const api::core_v1::Pod& pod_;
  const Neighbours& neighbours_;
  std::vector<Term> required_;
  std::vector<Term> forbidden_;
  Counts company_;   // places with pods that match all required terms
  Counts unwanted_;  // places with pods that match a forbidden term
  Counts closed_;    // places whose pods do not want this one
  Counts liked_;     // points of places
};

}  // namespace dray::scheduler
