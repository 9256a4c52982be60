// SPDX-License-Identifier: Apache-2.0
// Affinity and anti-affinity between pods: upstream's plugin InterPodAffinity.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "base/frozen.h"
#include "scheduler/cluster/affinity_rules.h"
#include "scheduler/cluster/neighbours.h"
#include "scheduler/plugins/pod_needs.h"

namespace dray::scheduler::inline plugins {

/// The affinity rules of a pod about others, and of others about it, for one attempt.
class PodAffinity {
 public:
  /// `pod` and `neighbours` must outlive this. Costs nothing if neither the pod nor others have
  /// rules; otherwise O(pods concerned × terms), within neighbours.work.
  PodAffinity(const api::core_v1::Pod& pod, const Neighbours& neighbours);

  /// Adds (1) or removes (-1) a pod for Filter.
  void Move(const Neighbour& neighbour, int64_t sign);

  /// Why the node is rejected. O(terms + forbidden places).
  std::optional<Rejection> Filter(const api::core_v1::Node& node) const;
  /// Whether some nodes are preferred to others.
  bool has_scores() const { return !liked_.empty(); }
  /// 0 to 100 for each of `nodes`, which are those that fit.
  std::vector<int64_t> Scores(std::span<const NodeState* const> nodes) const;

 private:
  /// By topology key and value.
  using Counts = std::map<std::string, std::map<std::string, int64_t, std::less<>>, std::less<>>;
  using Terms = std::vector<AffinityTerm>;
  enum class Weigh : int8_t { kFor = 1, kAgainst = -1 };

  bool Matches(const AffinityTerm& term, const api::core_v1::Pod& pod) const;
  bool MatchesAll(const Terms& terms, const api::core_v1::Pod& pod) const;
  static int64_t At(const Counts& counts, const api::core_v1::Node& node);
  static void Count(Counts& counts,
                    std::string_view key,
                    const api::core_v1::Node& node,
                    int64_t amount);
  void CountMusts(const Neighbour& neighbour, int64_t sign);
  void CountMustsOf(const AffinityRules& rules, const api::core_v1::Node& node, int64_t sign);
  void LookAt(const Neighbour& neighbour);
  void LookAtRulesOf(const Neighbour& neighbour);
  void Like(const Terms& terms,
            const api::core_v1::Pod& about,
            const api::core_v1::Node& node,
            Weigh weigh);
  bool HasRequired(const api::core_v1::Node& node) const;

  const api::core_v1::Pod& pod_;
  const Neighbours& neighbours_;
  Frozen<AffinityRules> rules_;  // of the pod; null: it has none
  bool is_own_company_ = false;  // it matches its own required terms
  Counts company_;               // places with pods that match all required terms
  Counts unwanted_;              // places with pods that match a forbidden term
  Counts closed_;                // places with pods that forbid this one
  Counts liked_;                 // scores of places
};

}  // namespace dray::scheduler::inline plugins
