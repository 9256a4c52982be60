// SPDX-License-Identifier: Apache-2.0
// Plugin NodeDeclaredFeatureValidator, as far as it is about slices: what a write asks of nodes
// that must say that they can do it.
#pragma once

#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Whether a slice may be stored: each node that can use one of its devices with
/// nodeAllocatableResources has DRANodeAllocatableResources in status.declaredFeatures. True for
/// all other writes, while the feature is off, and where no release is played: nodes that nobody
/// else runs are simulated there, and can do everything. O(nodes) for each selector of such a
/// device.
///
/// Errors: kForbidden  a node does not have it, or a device is of no node, in upstream's words.
Result<> CheckDeclaredFeatures(const Call& call,
                               const store::Snapshot& snapshot,
                               const Write& write);

}  // namespace dray::server::verbs::admission
