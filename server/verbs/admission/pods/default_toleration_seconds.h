// SPDX-License-Identifier: Apache-2.0
// Plugin DefaultTolerationSeconds: pods stay on a failing node for five minutes.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission::inline pods {

/// Adds tolerations of the taints "not-ready" and "unreachable" to a pod that has none for them.
Result<> TolerateTroubles(const Call& call,
                          const store::Snapshot& snapshot,
                          const Write& write,
                          api::Object* object);

}  // namespace dray::server::verbs::admission::inline pods
