// SPDX-License-Identifier: Apache-2.0
// Plugin PodResizeValidator (since 1.36): a pod is resized only to what its node could ever give
// it.
#pragma once

#include "api/release.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission::inline pods {

inline constexpr api::Releases kChecksResizes{.first = 36};

/// Compares a resized pod with its node alone, not with what other pods of the node ask for.
/// Accepts all other writes, and a resize that changes nothing or whose pod has no node.
///
/// Errors: kForbidden  the node does not exist; it runs another system than Linux (cause
///         UnsupportedPlatform); the pod asks for more CPU or memory than the node can allocate
///         (cause NodeCapacity).
Result<> CheckPodResize(const Call& call, const store::Snapshot& snapshot, const Write& write);

}  // namespace dray::server::verbs::admission::inline pods
