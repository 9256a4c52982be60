// SPDX-License-Identifier: Apache-2.0
// Roles and bindings of a new server: Kubernetes' bootstrap policy of 1.37.
#pragma once

#include <vector>

#include "api/feature_gates.h"
#include "api/object.h"

namespace dray::server::access {

// Roles, as lines. A name begins a role, an indented line is one of its rules, and a line indented
// deeper continues the line before it. A rule is verbs, groups, resources and perhaps names, or
// "path", verbs and paths; "" is the group without a name. After a name, `to=` is the role that
// aggregates its rules, `from=` means that its rules are aggregated from such roles, and `gate=` is
// the feature gate that it needs.
extern const char* const kBootstrapRoles;
extern const char* const kBootstrapControllerRoles;
/// The same in a namespace: "namespace/name".
extern const char* const kBootstrapLocalRoles;

/// ClusterRoles, ClusterRoleBindings, Roles and RoleBindings, for a server with the gates of
/// `profile`.
std::vector<api::Object> BootstrapPolicy(const api::Profile& profile);

}  // namespace dray::server::access
