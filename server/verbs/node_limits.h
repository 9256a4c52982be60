// SPDX-License-Identifier: Apache-2.0
// What nodes may look at and write, by what is stored: the graph of Kubernetes' node authoriser,
// asked anew each time, and its admission plug-in NodeRestriction.
#pragma once

#include <string_view>

#include "api/object.h"
#include "base/result.h"
#include "server/access/rbac.h"
#include "server/verbs/request.h"
#include "store/snapshot.h"

namespace dray::server::verbs {

/// Whether the object that is asked for is the node's (a slice, a pod), or one that a pod on it
/// needs (claims, secrets, config maps, volume claims, accounts). O(pods of the namespace) for the
/// latter.
bool IsOfNode(const store::Snapshot& snapshot,
              std::string_view node,
              const access::Attributes& asked);

/// Whether the requester, if it is a node, may store `next` (`old` null: it is new): a node writes
/// itself, but not its taints, owners and labels that steer pods, and makes only slices, leases and
/// pods of its own. True for all others. Errors: kForbidden, in upstream's words.
Result<> CheckNodeWrites(const ResourceRequest& request,
                         const api::Object& next,
                         const api::Object* old);

}  // namespace dray::server::verbs
