// SPDX-License-Identifier: Apache-2.0
// Which nodes a slice or device can be used on: its node name, all nodes, or a node selector.
#pragma once

#include <optional>
#include <string>

#include "api/core_v1.h"
#include "base/result.h"

namespace dray::allocator {

/// The three ways a slice or a device names its nodes.
struct NodeChoice {
  const std::optional<std::string>& node_name;
  const std::optional<bool>& all_nodes;
  const std::optional<api::core_v1::NodeSelector>& selector;
};

/// The first of node name, all nodes and selector that is set decides; none set matches nothing.
/// Errors: kInvalid  the selector cannot be parsed, even if another of its terms would match.
Result<bool> NodeMatches(const api::core_v1::Node& node, const NodeChoice& choice);

}  // namespace dray::allocator
