// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/plugin.h"

namespace dray::scheduler::inline plugins {
namespace {

std::optional<Rejection> FilterName(const NodeNeeds& needs, const NodeState& node) {
  const std::string& wanted = needs.node_name;
  if (wanted.empty() || wanted == node.value().metadata.name) return std::nullopt;
  return Rejection{.reasons = {"node(s) didn't match the requested node name"}};
}

}  // namespace

/// A pod that names a node goes only to that node.
extern const Plugin kNodeName{.name = "NodeName", .filter_node = FilterName};

}  // namespace dray::scheduler::inline plugins
