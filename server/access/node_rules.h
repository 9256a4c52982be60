// SPDX-License-Identifier: Apache-2.0
// The rights of nodes, as in Kubernetes' node authoriser: their own objects and those that their
// pods need. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "server/access/rbac.h"
#include "server/access/user.h"

namespace dray::server::access {

/// The node of a user: "system:node:NAME" in the group "system:nodes". Empty for a node without a
/// name, which has none of the rights of nodes, and is restricted like them.
std::optional<std::string_view> NodeOf(const User& user);

/// Decides whether `node` may do `asked`. `is_related` returns whether the object is the node's, or
/// one that a pod of it needs. `usual` are the rules for all resources without rules of their own;
/// null: none. The reason begins with "node: ".
Verdict DecideForNode(std::string_view node,
                      const Attributes& asked,
                      const std::function<bool()>& is_related,
                      const RuleIndex* usual);

}  // namespace dray::server::access
