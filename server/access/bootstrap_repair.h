// SPDX-License-Identifier: Apache-2.0
// What a server's start gives back to roles and bindings of the bootstrap policy that somebody
// changed. Pure. After Kubernetes' reconciliation of RBAC objects.
#pragma once

#include <optional>

#include "api/object.h"

namespace dray::server::access {

/// `there` with what it lacks of `expected`: rules, subjects, labels, annotations, selectors of an
/// aggregation. What somebody added stays. Nothing where it lacks nothing, or says with the
/// annotation rbac.authorization.kubernetes.io/autoupdate: "false" that it is to be left alone; but
/// a binding of another role is `expected` itself, as it has to be made anew. Both are of the same
/// kind of rbac.authorization.k8s.io/v1.
std::optional<api::Object> RepairOf(const api::Object& there, const api::Object& expected);

/// Whether what RepairOf made takes the place of the object, which is to be deleted first.
bool IsReplacement(const api::Object& repair);

}  // namespace dray::server::access
