// SPDX-License-Identifier: Apache-2.0
// Which nodes to look at closely, of the many that have no devices for a pod: some of each kind.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "allocator/search/prospects.h"
#include "api/resource_v1/claim.h"
#include "base/published.h"
#include "base/work.h"
#include "dray/snapshot.h"
#include "scheduler/cluster/node_state.h"

namespace dray::scheduler::inline reports {

/// Groups nodes by what they have for the claims. For one thread.
class UnfitCandidates {
 public:
  /// `wanted`: the claims that need devices. `work` is charged for everything, and outlives this.
  UnfitCandidates(const allocator::Snapshot& devices,
                  std::span<const Frozen<api::resource_v1::ResourceClaim>> wanted,
                  Work& work)
      : prospects_(devices, wanted, work) {}

  /// The node outlives this.
  void Add(const NodeState& node);
  size_t size() const { return size_; }

  /// One node of each group in turn, then a second of each, and so on: however few are taken, they
  /// show as many reasons as possible. The group that lacks the fewest devices comes first, of
  /// equal ones that with the most devices of the wanted kind. O(nodes).
  std::vector<const NodeState*> InTurns() const;

 private:
  /// Sorts groups: unknown ones last.
  struct Group {
    bool is_unknown = false;
    int64_t missing = 0;
    int64_t not_matching = 0;  // matching devices, negative
    allocator::search::NodeProspect prospect = {};
    auto operator<=>(const Group&) const = default;
  };

  allocator::search::Prospects prospects_;
  std::map<Group, std::vector<const NodeState*>> groups_;
  size_t size_ = 0;
};

}  // namespace dray::scheduler::inline reports
