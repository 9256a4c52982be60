// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/node_scores.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "api/selectors/node_selector_match.h"
#include "scheduler/plugins/node_filter.h"

namespace dray::scheduler::inline plugins {
namespace {

namespace core_v1 = api::core_v1;

// Weights of upstream's default profile.
constexpr int64_t kTaintWeight = 3;
constexpr int64_t kNodeAffinityWeight = 2;
constexpr int64_t kPodAffinityWeight = 2;
constexpr int64_t kSpreadWeight = 2;
constexpr int64_t kDevicesWeight = 2;

/// Requested and there is, of processors and of memory.
struct RequestedShare {
  int64_t requested;
  int64_t allocatable;
};

int64_t LeftPart(const RequestedShare& share) {
  if (share.requested > share.allocatable) return 0;
  return (share.allocatable - share.requested) * kScoreMax / share.allocatable;
}

int64_t LeastAllocated(const RequestedShare& cpu, const RequestedShare& memory) {
  int64_t sum = 0;
  int64_t parts = 0;
  for (const RequestedShare* share : {&cpu, &memory}) {
    if (share->allocatable == 0) continue;
    sum += LeftPart(*share);
    ++parts;
  }
  return parts == 0 ? 0 : sum / parts;
}

int64_t Balance(const RequestedShare& cpu, const RequestedShare& memory) {
  if (cpu.allocatable == 0 || memory.allocatable == 0) return kScoreMax;
  const auto fraction = [](const RequestedShare& share) {
    return std::min(1.0,
                    static_cast<double>(share.requested) / static_cast<double>(share.allocatable));
  };
  const double deviation = std::abs((fraction(cpu) - fraction(memory)) / 2);
  return static_cast<int64_t>((1 - deviation) * static_cast<double>(kScoreMax));
}

/// To 0 … 100, the largest being 100; the other way round with `reversed`.
void Normalise(std::vector<int64_t>& scores, bool reversed) {
  const int64_t most = scores.empty() ? 0 : std::ranges::max(scores);
  for (int64_t& score : scores) {
    if (most == 0) {
      score = reversed ? kScoreMax : score;
      continue;
    }
    score = score * kScoreMax / most;
    if (reversed) score = kScoreMax - score;
  }
}

void AddWeighted(const std::vector<int64_t>& scores, int64_t weight, std::vector<int64_t>& sums) {
  for (size_t i = 0; i < sums.size(); ++i) sums[i] += weight * scores[i];
}

int64_t UnlovedTaints(const core_v1::Pod& pod, const core_v1::Node& node) {
  return std::ranges::count_if(node.spec.taints, [&](const core_v1::Taint& taint) {
    return taint.effect == "PreferNoSchedule" && !ToleratesAny(pod, taint);
  });
}

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

}  // namespace

size_t NodesToCompare(size_t nodes) {
  constexpr size_t kAtLeast = 100;
  if (nodes < kAtLeast) return nodes;
  const size_t percentage = std::max<size_t>(5, 50 - std::min<size_t>(50, nodes / 125));
  return std::max(kAtLeast, nodes * percentage / 100);
}

int64_t OwnScore(const PodNeeds& needs, const NodeState& state) {
  const int64_t cpu = AmountIn(state.allocatable, "cpu");
  const int64_t memory = AmountIn(state.allocatable, "memory");
  const int64_t left = LeastAllocated(
      {.requested = state.presumed.cpu + needs.presumed.cpu, .allocatable = cpu},
      {.requested = state.presumed.memory + needs.presumed.memory, .allocatable = memory});
  const int64_t asks_cpu = AmountIn(needs.requests, "cpu");
  const int64_t asks_memory = AmountIn(needs.requests, "memory");
  // Pods that ask for nothing would all go where it is most uneven.
  if (asks_cpu == 0 && asks_memory == 0) return left;
  const int64_t used_cpu = AmountIn(state.requested, "cpu");
  const int64_t used_memory = AmountIn(state.requested, "memory");
  const int64_t with = Balance({.requested = used_cpu + asks_cpu, .allocatable = cpu},
                               {.requested = used_memory + asks_memory, .allocatable = memory});
  const int64_t without = Balance({.requested = used_cpu, .allocatable = cpu},
                                  {.requested = used_memory, .allocatable = memory});
  return left + kScoreMax / 2 + (kScoreMax / 2 + with - without) / 2;
}

RelativeScores::RelativeScores(const PodNeeds& needs,
                               std::span<const NodeState* const> nodes,
                               const PodAffinity& affinity,
                               const TopologySpread& spread)
    : needs_(needs), affinity_(affinity), spread_(spread) {
  const auto& wanted = needs.pod->spec.affinity;
  has_preferences_ =
      wanted && wanted->node_affinity &&
      !wanted->node_affinity->preferred_during_scheduling_ignored_during_execution.empty();
  taints_ = std::ranges::any_of(
      nodes, [&](const NodeState* state) { return UnlovedTaints(*needs.pod, state->value()) > 0; });
}

std::vector<int64_t> RelativeScores::Of(std::span<const NodeState* const> nodes) const {
  std::vector<int64_t> sums(nodes.size());
  const auto each = [&](const auto& score_of) {
    std::vector<int64_t> scores;
    for (const NodeState* state : nodes) scores.push_back(score_of(state->value()));
    return scores;
  };
  if (taints_) {
    auto scores = each([&](const core_v1::Node& node) { return UnlovedTaints(*needs_.pod, node); });
    Normalise(scores, true);
    AddWeighted(scores, kTaintWeight, sums);
  }
  if (has_preferences_) {
    auto scores = each([&](const core_v1::Node& node) { return Preference(*needs_.pod, node); });
    Normalise(scores, false);
    AddWeighted(scores, kNodeAffinityWeight, sums);
  }
  if (affinity_.has_scores()) AddWeighted(affinity_.Scores(nodes), kPodAffinityWeight, sums);
  if (spread_.has_scores()) AddWeighted(spread_.Scores(nodes), kSpreadWeight, sums);
  return sums;
}

void AddDeviceScores(std::span<const int64_t> scores, std::vector<int64_t>& sums) {
  std::vector<int64_t> normal(scores.begin(), scores.end());
  Normalise(normal, false);
  AddWeighted(normal, kDevicesWeight, sums);
}

}  // namespace dray::scheduler::inline plugins
