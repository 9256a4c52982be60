// SPDX-License-Identifier: Apache-2.0
// Roles and bindings that a new server has, as Kubernetes' bootstrap policy of 1.37.
#pragma once

#include <vector>

#include "api/feature_gates.h"
#include "api/object.h"

namespace dray::server::access {

// Roles, as lines: a name begins one, an indented line is a rule of it, a line indented deeper goes
// on with the one before. A rule is verbs, groups, resources and perhaps names, or "path", verbs
// and paths; "" is the group without a name. After a name: `to=` says into which other role its
// rules go, `from=` that the rules are those of such roles, `gate=` what it depends on.
extern const char* const kBootstrapRoles;
extern const char* const kBootstrapControllerRoles;
/// The same in a namespace: "namespace/name".
extern const char* const kBootstrapLocalRoles;

/// ClusterRoles, ClusterRoleBindings, Roles and RoleBindings, for a server with the gates of
/// `profile`.
std::vector<api::Object> BootstrapPolicy(const api::Profile& profile);

}  // namespace dray::server::access
