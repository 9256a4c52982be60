// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/node_affinity.h"

#include <vector>

#include "api/selectors/node_selector_match.h"
#include "scheduler/plugins/plugin.h"

namespace dray::scheduler::inline plugins {
namespace {

namespace core_v1 = api::core_v1;

int64_t Preference(const core_v1::Pod& pod, const core_v1::Node& node) {
  int64_t sum = 0;
  const auto& preferred =
      pod.spec.affinity->node_affinity->preferred_during_scheduling_ignored_during_execution;
  for (const core_v1::PreferredSchedulingTerm& term : preferred) {
    if (term.weight == 0) continue;
    core_v1::NodeSelector selector;
    selector.node_selector_terms = {term.preference};
    const auto parsed = api::NodeSelector::Parse(api::NodeTerms(selector));
    const bool is_empty =
        term.preference.match_expressions.empty() && term.preference.match_fields.empty();
    if (is_empty || !parsed) continue;
    if (parsed->Matches(node.metadata.labels, node.metadata.name)) sum += term.weight;
  }
  return sum;
}

std::optional<Rejection> FilterAffinity(const NodeNeeds& needs, const NodeState& node) {
  if (MatchesAffinity(needs, node.value())) return std::nullopt;
  return Rejection{.reasons = {"node(s) didn't match Pod's node affinity/selector"}};
}

bool HasPreferences(const PodInAttempt& pod) {
  const auto& affinity = pod.pod().spec.affinity;
  return affinity && affinity->node_affinity &&
         !affinity->node_affinity->preferred_during_scheduling_ignored_during_execution.empty();
}

std::vector<int64_t> ScorePreferences(const PodInAttempt& pod,
                                      std::span<const NodeState* const> nodes) {
  std::vector<int64_t> scores;
  for (const NodeState* node : nodes) scores.push_back(Preference(pod.pod(), node->value()));
  Normalise(scores, Better::kMore);
  return scores;
}

}  // namespace

bool MatchesAffinity(const NodeNeeds& needs, const core_v1::Node& node) {
  for (const auto& [label, value] : needs.node_selector) {
    const auto found = node.metadata.labels.find(label);
    if (found == node.metadata.labels.end() || found->second != value) return false;
  }
  if (!needs.affinity.has_value()) return true;
  // An invalid term matches nothing, as in upstream's filter.
  return needs.affinity->parsed.Match(node.metadata.labels, node.metadata.name).value_or(false);
}

/// Requires nodes that the pod selects, and prefers those that it prefers.
extern const Plugin kNodeAffinity{.name = "NodeAffinity",
                                  .filter_node = FilterAffinity,
                                  .weight = 2,
                                  .has_scores = HasPreferences,
                                  .scores = ScorePreferences,
                                  .arguments = "addedAffinity: null"};

}  // namespace dray::scheduler::inline plugins
