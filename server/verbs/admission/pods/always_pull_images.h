// SPDX-License-Identifier: Apache-2.0
// Plugin AlwaysPullImages: nodes pull images each time, with the credentials of the pod.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission::inline pods {

/// Sets the pull policy of all containers and image volumes of a pod to Always; of a changed pod
/// only when it has a new image.
Result<> AlwaysPull(const Call& call,
                    const store::Snapshot& snapshot,
                    const Write& write,
                    api::Object* object);

}  // namespace dray::server::verbs::admission::inline pods
