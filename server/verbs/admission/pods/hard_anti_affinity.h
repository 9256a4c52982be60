// SPDX-License-Identifier: Apache-2.0
// Plugin LimitPodHardAntiAffinityTopology: a pod can keep other pods only from its own node.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission::inline pods {

/// Errors: kForbidden  a required anti-affinity term has another topology key than the host name.
Result<> CheckHardAntiAffinity(const Call& call,
                               const store::Snapshot& snapshot,
                               const Write& write);

}  // namespace dray::server::verbs::admission::inline pods
