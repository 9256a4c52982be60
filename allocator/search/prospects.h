// SPDX-License-Identifier: Apache-2.0
// How near a node comes to having devices for claims, by counts of single devices: cheap enough to
// compare all nodes of a cluster, where a search or an account of every device is not.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "allocator/search/prepared_claims.h"
#include "allocator/snapshot/cluster_state.h"
#include "allocator/snapshot/node_view.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "base/frozen.h"
#include "base/work.h"

namespace dray::allocator::search {

/// What a node has for one request; of alternatives for the one that lacks least.
struct RequestProspect {
  int64_t missing = 0;   // how many devices there are too few of
  int64_t matching = 0;  // that the request could have if nothing were in use
  int64_t usable = 0;    // of those, the ones that it could have as things are
  auto operator<=>(const RequestProspect&) const = default;
};

/// Nodes with equal prospects most likely lack the same thing.
struct NodeProspect {
  /// The counts say nothing: a selector fails, or all devices are wanted of a pool that is not
  /// whole. `requests` is empty then.
  bool is_unknown = false;
  bool has_unusable_pool = false;              // one that is incomplete or contradicts itself
  std::vector<RequestProspect> requests = {};  // as PreparedClaims::requests
  auto operator<=>(const NodeProspect&) const = default;

  /// Devices that are too few, of all requests together.
  int64_t missing() const;
  /// Devices that match, of all requests together.
  int64_t matching() const;
};

/// The prospect of one node. The claims are prepared, and `view` is that of the node. O(devices of
/// the node / 64) per request. Wrong once the work is spent.
NodeProspect ProspectOf(const PreparedClaims& prepared,
                        const snapshot::NodeView& view,
                        const api::core_v1::Node& node,
                        Work& work);

/// For one thread.
class Prospects {
 public:
  /// `work` is charged for everything, and outlives this.
  Prospects(Frozen<snapshot::ClusterState> cluster,
            std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
            Work& work);

  /// As ProspectOf.
  NodeProspect Of(const api::core_v1::Node& node) const;

 private:
  Work& work_;
  PreparedClaims prepared_;
};

}  // namespace dray::allocator::search
