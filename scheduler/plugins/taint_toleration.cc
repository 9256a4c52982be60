// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/taint_toleration.h"

#include <algorithm>
#include <string>
#include <vector>

#include "scheduler/plugins/plugin.h"

namespace dray::scheduler::inline plugins {
namespace {

namespace core_v1 = api::core_v1;

bool Tolerates(const core_v1::Toleration& toleration, const core_v1::Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.operator_ == "Exists") return true;
  const bool equal = toleration.operator_.empty() || toleration.operator_ == "Equal";
  return equal && !toleration.key.empty() && toleration.value == taint.value;
}

int64_t UnlovedTaints(const core_v1::Pod& pod, const core_v1::Node& node) {
  return std::ranges::count_if(node.spec.taints, [&](const core_v1::Taint& taint) {
    return taint.effect == "PreferNoSchedule" && !ToleratesAny(pod, taint);
  });
}

std::optional<Rejection> FilterTaints(const PodInAttempt& pod, const NodeState& node) {
  if (!HasForbiddingTaint(pod.pod(), node.value())) return std::nullopt;
  return Rejection{.reasons = {"node(s) had untolerated taint(s)"}};
}

bool HasUnlovedTaints(const PodInAttempt& pod, std::span<const NodeState* const> nodes) {
  return std::ranges::any_of(
      nodes, [&](const NodeState* node) { return UnlovedTaints(pod.pod(), node->value()) > 0; });
}

std::vector<int64_t> ScoreTaints(const PodInAttempt& pod, std::span<const NodeState* const> nodes) {
  std::vector<int64_t> scores;
  for (const NodeState* node : nodes) scores.push_back(UnlovedTaints(pod.pod(), node->value()));
  Normalise(scores, Better::kFewer);
  return scores;
}

}  // namespace

bool ToleratesAny(const core_v1::Pod& pod, const core_v1::Taint& taint) {
  return std::ranges::any_of(pod.spec.tolerations, [&](const core_v1::Toleration& toleration) {
    return Tolerates(toleration, taint);
  });
}

bool HasForbiddingTaint(const core_v1::Pod& pod, const core_v1::Node& node) {
  return std::ranges::any_of(node.spec.taints, [&](const core_v1::Taint& taint) {
    const bool forbids = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    return forbids && !ToleratesAny(pod, taint);
  });
}

/// Requires that the pod tolerates the taints, and prefers nodes without untolerated
/// PreferNoSchedule taints.
extern const Plugin kTaintToleration{.name = "TaintToleration",
                                     .filter = FilterTaints,
                                     .weight = 3,
                                     .has_scores = HasUnlovedTaints,
                                     .scores = ScoreTaints};

}  // namespace dray::scheduler::inline plugins
