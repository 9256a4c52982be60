// SPDX-License-Identifier: Apache-2.0
// Plugin DefaultTolerationSeconds: pods stay on a node in trouble for five minutes.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Adds tolerations of nodes that are not ready or not reachable to a pod that says nothing of
/// them.
Result<> TolerateTroubles(const Call& call,
                          const store::Snapshot& snapshot,
                          const Write& write,
                          api::Object* object);

}  // namespace dray::server::verbs::admission
