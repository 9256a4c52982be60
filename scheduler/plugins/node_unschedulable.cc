// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/plugin.h"
#include "scheduler/plugins/taint_toleration.h"

namespace dray::scheduler::inline plugins {
namespace {

std::optional<Rejection> FilterCordoned(const NodeNeeds& needs, const NodeState& node) {
  static const api::core_v1::Taint kCordon{.key = "node.kubernetes.io/unschedulable",
                                           .effect = "NoSchedule"};
  if (!node.value().spec.unschedulable || IsTolerated(kCordon, needs.tolerations))
    return std::nullopt;
  return Rejection{.reasons = {"node(s) were unschedulable"}};
}

}  // namespace

/// A cordoned node takes only pods that tolerate its taint.
extern const Plugin kNodeUnschedulable{.name = "NodeUnschedulable", .filter_node = FilterCordoned};

}  // namespace dray::scheduler::inline plugins
