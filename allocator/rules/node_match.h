// SPDX-License-Identifier: Apache-2.0
// Which nodes a slice or device can be used on: its node name, all nodes, or a node selector.
#pragma once

#include <vector>

#include "api/core_v1/node.h"
#include "api/selectors/node_selector_match.h"
#include "base/result.h"

namespace dray::allocator::rules {

/// Whether a slice's spec, or a device, can be used on the node, by its nodeName, allNodes and
/// nodeSelector (the rule of api::NodeMatches).
/// Errors: kBadRequest  the selector cannot be parsed, even if another of its terms would match.
template <class SliceSpecOrDevice>
Result<bool> IsUsableOn(const api::core_v1::Node& node, const SliceSpecOrDevice& chooser) {
  std::vector<api::NodeTermView> terms;
  api::NodeChoice choice{.all_nodes = chooser.all_nodes.value_or(false)};
  if (chooser.node_name.has_value()) choice.node_name = *chooser.node_name;
  if (chooser.node_selector.has_value()) {
    terms = api::NodeTerms(*chooser.node_selector);
    choice.node_selector = &terms;
  }
  return api::NodeMatches(choice, node.metadata.labels, node.metadata.name);
}

}  // namespace dray::allocator::rules
