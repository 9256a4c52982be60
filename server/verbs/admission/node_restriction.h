// SPDX-License-Identifier: Apache-2.0
// Plugin NodeRestriction: the writes that nodes may make, one row for each rule.
#pragma once

#include "api/object.h"
#include "base/result.h"
#include "server/verbs/admission/plugin.h"
#include "server/verbs/context/call.h"
#include "store/snapshot.h"

namespace dray::server::verbs::admission {

/// Checks a write by a node. A node may write: its own Node, but not its taints, owners and labels
/// that steer pods; its own slices, leases, CSINodes and mirror pods that reference no API object;
/// the status of its pods, without labels and claims; tokens bound to one of its pods, for
/// audiences that the pod names. Accepts all writes of other users, and every write when RBAC is
/// off. The authorizer (server/access/node_rules.h) decides which requests a node may make at all,
/// and alone decides about kinds without a row here.
///
/// Errors: kForbidden, in upstream's words. kNotFound  the write names a pod, node or account that
///         does not exist.
Result<> CheckNode(const Call& call,
                   const store::Snapshot& snapshot,
                   const Write& write,
                   api::Object* object);

}  // namespace dray::server::verbs::admission
