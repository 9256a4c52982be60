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

int64_t UnlovedTaints(const PodInAttempt& pod, const core_v1::Node& node) {
  return std::ranges::count_if(node.spec.taints, [&](const core_v1::Taint& taint) {
    return taint.effect == "PreferNoSchedule" && !IsTolerated(taint, pod.needs->tolerations);
  });
}

std::optional<Rejection> FilterTaints(const NodeNeeds& needs, const NodeState& node) {
  if (!HasForbiddingTaint(node.value(), needs.tolerations)) return std::nullopt;
  return Rejection{.reasons = {"node(s) had untolerated taint(s)"}};
}

bool HasUnlovedTaints(const PodInAttempt& pod) {
  return std::ranges::any_of(pod.soft_taints, [&](const core_v1::Taint& taint) {
    return !IsTolerated(taint, pod.needs->tolerations);
  });
}

std::vector<int64_t> ScoreTaints(const PodInAttempt& pod, std::span<const NodeState* const> nodes) {
  std::vector<int64_t> scores;
  for (const NodeState* node : nodes) scores.push_back(UnlovedTaints(pod, node->value()));
  Normalise(scores, Better::kFewer);
  return scores;
}

}  // namespace

bool IsTolerated(const core_v1::Taint& taint, std::span<const core_v1::Toleration> tolerations) {
  return std::ranges::any_of(tolerations, [&](const core_v1::Toleration& toleration) {
    return Tolerates(toleration, taint);
  });
}

bool HasForbiddingTaint(const core_v1::Node& node,
                        std::span<const core_v1::Toleration> tolerations) {
  return std::ranges::any_of(node.spec.taints, [&](const core_v1::Taint& taint) {
    const bool forbids = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    return forbids && !IsTolerated(taint, tolerations);
  });
}

/// Requires that the pod tolerates the taints, and prefers nodes without untolerated
/// PreferNoSchedule taints.
extern const Plugin kTaintToleration{.name = "TaintToleration",
                                     .filter_node = FilterTaints,
                                     .weight = 3,
                                     .has_scores = HasUnlovedTaints,
                                     .scores = ScoreTaints};

}  // namespace dray::scheduler::inline plugins
