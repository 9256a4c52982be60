// SPDX-License-Identifier: Apache-2.0
// Plugin RuntimeClass: pods get overhead, node selector and tolerations of their RuntimeClass.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission::inline pods {

/// Adds to a new pod what its RuntimeClass says.
///
/// Errors: kForbidden  there is no such class, or the pod disagrees with it.
Result<> ApplyRuntimeClass(const Call& call,
                           const store::Snapshot& snapshot,
                           const Write& write,
                           api::Object* object);

/// Errors: kForbidden  the overhead of a new pod is not that of its class.
Result<> CheckOverhead(const Call& call, const store::Snapshot& snapshot, const Write& write);

}  // namespace dray::server::verbs::admission::inline pods
