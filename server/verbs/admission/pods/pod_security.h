// SPDX-License-Identifier: Apache-2.0
// Plugin PodSecurity: the labels of a namespace say which standard its pods must meet
// (server/pod_security/levels.h).
#pragma once

#include <cstddef>

#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission::inline pods {

/// Pods of a namespace that are judged when its labels change.
inline constexpr size_t kJudgedPodsMax = 3000;

/// Judges new pods, and those that get other containers or images. Warns of objects that make pods
/// where a template does not meet the standard, and of the pods that a namespace has when it begins
/// to enforce one. Adds upstream's annotations for the audit log.
///
/// Errors: kForbidden  a pod does not meet the standard that is enforced.  kInvalid  a namespace
///         gets a label that means nothing.
Result<> CheckPodSecurity(const Call& call, const store::Snapshot& snapshot, const Write& write);

}  // namespace dray::server::verbs::admission::inline pods
