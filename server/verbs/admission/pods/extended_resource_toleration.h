// SPDX-License-Identifier: Apache-2.0
// Plugin ExtendedResourceToleration: pods tolerate the taints named after resources they request.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission::inline pods {

/// Adds a toleration, of effect NoSchedule, for each extended resource that a pod requests.
Result<> TolerateExtendedResources(const Call& call,
                                   const store::Snapshot& snapshot,
                                   const Write& write,
                                   api::Object* object);

}  // namespace dray::server::verbs::admission::inline pods
