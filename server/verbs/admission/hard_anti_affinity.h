// SPDX-License-Identifier: Apache-2.0
// Plugin LimitPodHardAntiAffinityTopology: no pod keeps others away from more than a node.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Errors: kForbidden  required anti-affinity of a pod has another topology than the node.
Result<> CheckHardAntiAffinity(const Call& call,
                               const store::Snapshot& snapshot,
                               const Write& write);

}  // namespace dray::server::verbs::admission
