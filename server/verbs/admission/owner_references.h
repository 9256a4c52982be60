// SPDX-License-Identifier: Apache-2.0
// Plugin OwnerReferencesPermissionEnforcement: an owner reference can delete the object that has
// it, and can hold up the deletion of the owner, so it needs the rights to do so.
#pragma once

#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Checks a write that changes owner references. An update needs the right to delete the object. A
/// reference that now blocks the owner's deletion needs the right to update the owner's finalizers.
/// Accepts everything when RBAC is off.
///
/// Errors: kForbidden  the requester lacks one of them, or the kind of such an owner is not served.
Result<> CheckOwnerReferences(const Call& call,
                              const store::Snapshot& snapshot,
                              const Write& write);

}  // namespace dray::server::verbs::admission
