// SPDX-License-Identifier: Apache-2.0
// Plugin NodeRestriction: what nodes may write, one row a rule.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Whether the requester, if it is a node, may write what it wants to: itself, but not its taints,
/// owners and labels that steer pods; slices, leases, CSINodes and mirror pods of its own, which
/// name nothing of the API; the status of its pods, without labels and claims; tokens that live
/// with one of its pods, for audiences that the pod names. True for all others, and where roles
/// decide nothing. What a node may ask for at all is the authoriser's (server/access/node_rules.h):
/// a kind without a row here is as it says.
///
/// Errors: kForbidden, in upstream's words. kNotFound  a pod, node or account that the write names.
Result<> CheckNode(const Call& call,
                   const store::Snapshot& snapshot,
                   const Write& write,
                   api::Object* object);

}  // namespace dray::server::verbs::admission
