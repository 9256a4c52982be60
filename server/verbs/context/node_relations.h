// SPDX-License-Identifier: Apache-2.0
// Which stored objects belong to a node: the graph of Kubernetes' node authorizer, computed anew
// for each question.
#pragma once

#include <string_view>

#include "api/kind.h"
#include "api/object.h"
#include "server/access/rbac.h"
#include "store/snapshot.h"

namespace dray::server::verbs::inline context {

/// Whether the object that `asked` names belongs to the node (a slice, a pod, an attachment), or a
/// pod on the node needs it (claims, secrets, config maps, volumes, accounts). A mirror pod, which
/// the node itself has created, needs nothing. O(pods of the namespace); for objects that volumes
/// name, O(volumes) besides.
bool IsOfNode(const store::Snapshot& snapshot,
              std::string_view node,
              const access::Attributes& asked);

/// The node that publishes a slice of either allocator generation; empty: no node, or no slice.
std::string_view NodeOfSlice(const api::Object& slice);

/// The object of `kind` with that namespace and name; empty: it does not exist, or cannot be read.
api::Object FindStored(const store::Snapshot& snapshot,
                       const api::KindInfo& kind,
                       std::string_view namespace_name,
                       std::string_view name);

}  // namespace dray::server::verbs::inline context
