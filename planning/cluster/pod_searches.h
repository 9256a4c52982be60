// SPDX-License-Identifier: Apache-2.0
// The searches for devices that decisions about one pod share.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "api/resource_v1/claim.h"
#include "base/published.h"
#include "dray/allocator.h"
#include "dray/snapshot.h"

namespace dray::planning::inline cluster {

/// Each search is begun when a node is first asked, and kept for the next decision about the pod. A
/// pod has several: nodes that have an extended resource of their own are not asked for the claim
/// that stands for it.
class PodSearches {
 public:
  /// The search for `wanted` among `devices`, which outlives this. Valid until Forget. O(claims)
  /// where it is kept already.
  const allocator::Attempt& For(const allocator::Snapshot& devices,
                                std::span<const Frozen<api::resource_v1::ResourceClaim>> wanted);

  /// What was taken has changed: the next decision searches anew.
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
