// SPDX-License-Identifier: Apache-2.0
// Plugin NamespaceLifecycle: what begins and ends in namespaces.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Errors: kForbidden  an object is to be created in a namespace that is being deleted, or a
///         namespace to be deleted without which a cluster does not work.
Result<> AdmitToNamespace(const Call& call,
                          const store::Snapshot& snapshot,
                          const Write& write,
                          api::Object* object);

}  // namespace dray::server::verbs::admission
