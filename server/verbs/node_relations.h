// SPDX-License-Identifier: Apache-2.0
// What is a node's, by what is stored: the graph of Kubernetes' node authoriser, asked anew each
// time.
#pragma once

#include <string_view>

#include "api/kind.h"
#include "api/object.h"
#include "server/access/rbac.h"
#include "store/snapshot.h"

namespace dray::server::verbs {

/// Whether the object that is asked for is the node's (a slice, a pod, an attachment), or one that
/// a pod on it needs (claims, secrets, config maps, volumes, accounts). A mirror pod, which the
/// node itself has made, needs nothing. O(pods of the namespace), and of the volumes for what they
/// name.
bool IsOfNode(const store::Snapshot& snapshot,
              std::string_view node,
              const access::Attributes& asked);

/// The node that publishes a slice, of either generation; empty: none, or no slice.
std::string_view NodeOfSlice(const api::Object& slice);

/// The object of `kind` at that place; empty: it is not there, or cannot be read.
api::Object FindStored(const store::Snapshot& snapshot,
                       const api::KindInfo& kind,
                       std::string_view namespace_name,
                       std::string_view name);

}  // namespace dray::server::verbs
