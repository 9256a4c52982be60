// SPDX-License-Identifier: Apache-2.0
// Plugin PersistentVolumeClaimResize: which volume claims may ask for more.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Errors: kForbidden  a claim that is not bound, or whose class does not let volumes grow, asks
///         for more storage.
Result<> CheckClaimGrowth(const Call& call, const store::Snapshot& snapshot, const Write& write);

}  // namespace dray::server::verbs::admission
