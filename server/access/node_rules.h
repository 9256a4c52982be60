// SPDX-License-Identifier: Apache-2.0
// What nodes may do: as Kubernetes' node authoriser decides, what is theirs and what their pods
// need, and no more. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "server/access/rbac.h"
#include "server/access/user.h"

namespace dray::server::access {

/// The node a user is: "system:node:NAME" in the group "system:nodes". Empty for one without a
/// name, who may do nothing that nodes may, and is bound like them.
std::optional<std::string_view> NodeOf(const User& user);

/// May `node` do what is asked? `is_related` says whether the object that is asked for is the
/// node's, or one that a pod of it needs; `usual` are the rules for everything that has none of its
/// own, null: none. The reason begins with "node: ".
Verdict DecideForNode(std::string_view node,
                      const Attributes& asked,
                      const std::function<bool()>& is_related,
                      const RuleIndex* usual);

}  // namespace dray::server::access
