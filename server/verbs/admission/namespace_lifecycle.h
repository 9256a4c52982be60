// SPDX-License-Identifier: Apache-2.0
// Plugin NamespaceLifecycle: restricts creates in namespaces and deletions of namespaces.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Errors: kForbidden a create in a namespace that is being deleted, or the deletion of a namespace
///         that a cluster needs.
Result<> AdmitToNamespace(const Call& call,
                          const store::Snapshot& snapshot,
                          const Write& write,
                          api::Object* object);

}  // namespace dray::server::verbs::admission
