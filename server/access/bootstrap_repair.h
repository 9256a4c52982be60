// SPDX-License-Identifier: Apache-2.0
// Repairs roles and bindings of the bootstrap policy that a user changed, at the start of a server.
// Pure. After Kubernetes' reconciliation of RBAC objects.
#pragma once

#include <optional>

#include "api/object.h"

namespace dray::server::access {

/// Returns `there` with everything of `expected` that it lacks: rules, subjects, labels,
/// annotations, selectors of an aggregation. Keeps additions by users. Returns nothing if nothing
/// is missing, or if the annotation rbac.authorization.kubernetes.io/autoupdate is "false". For a
/// binding of another role it returns `expected` itself, because a binding's role is immutable, so
/// it must be created anew. Both are of the same kind of rbac.authorization.k8s.io/v1.
std::optional<api::Object> RepairOf(const api::Object& there, const api::Object& expected);

/// Whether the result of RepairOf replaces the object, which must then be deleted first.
bool IsReplacement(const api::Object& repair);

}  // namespace dray::server::access
