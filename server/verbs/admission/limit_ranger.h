// SPDX-License-Identifier: Apache-2.0
// Plugin LimitRanger: applies LimitRanges to new pods and to volume claims.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Gives the containers of a new pod the default requests and limits of the namespace's ranges,
/// where they have none. A range that cannot be read is ignored, here and below.
Result<> FillInLimits(const Call& call,
                      const store::Snapshot& snapshot,
                      const Write& write,
                      api::Object* object);

/// Errors: kForbidden  a new pod, or a volume claim, requests less or more than the ranges of its
///         namespace allow.
Result<> CheckLimits(const Call& call, const store::Snapshot& snapshot, const Write& write);

}  // namespace dray::server::verbs::admission
