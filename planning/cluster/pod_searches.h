// SPDX-License-Identifier: Apache-2.0
// Device searches that decisions about one pod share.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "api/resource_v1/claim.h"
#include "base/frozen.h"
#include "dray/allocator.h"
#include "dray/snapshot.h"

namespace dray::planning::inline cluster {

/// A search begins when it is first used on a node, and is kept for the next decision about the
/// pod. A pod has several searches: on a node with an extended resource of its own, the claim for
/// that resource is not searched for.
class PodSearches {
 public:
  /// The search for `wanted` among `devices`, which must outlive this. Valid until Forget.
  /// O(claims) if the search exists already.
  const allocator::Attempt& For(const allocator::Snapshot& devices,
                                std::span<const Frozen<api::resource_v1::ResourceClaim>> wanted);

  /// Call when allocations have changed: the next decision begins new searches.
  void Forget() { kept_.clear(); }

 private:
  struct Kept {
    Kept(const allocator::Snapshot& devices,
         std::span<const Frozen<api::resource_v1::ResourceClaim>> claims)
        : wanted(claims.begin(), claims.end()), attempt(devices, wanted) {}

    const std::vector<Frozen<api::resource_v1::ResourceClaim>> wanted;
    allocator::Attempt attempt;
  };
  std::deque<Kept> kept_;  // one for each set of resources that nodes lack
};

}  // namespace dray::planning::inline cluster
