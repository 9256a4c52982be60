// SPDX-License-Identifier: Apache-2.0
// Plugin NodeDeclaredFeatureValidator, only for ResourceSlices: nodes must declare a feature that a
// write needs.
#pragma once

#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Checks that a slice may be stored: each node that can use one of its devices with
/// nodeAllocatableResources has DRANodeAllocatableResources in status.declaredFeatures. Accepts all
/// other writes, and every write while the feature is off or the server plays no release: Dray
/// simulates the nodes then, and they have all features. O(nodes) for each selector of such a
/// device.
///
/// Errors: kForbidden  a node does not declare it, or no node has the device, in upstream's words.
Result<> CheckDeclaredFeatures(const Call& call,
                               const store::Snapshot& snapshot,
                               const Write& write);

}  // namespace dray::server::verbs::admission
