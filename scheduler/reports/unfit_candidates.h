// SPDX-License-Identifier: Apache-2.0
// Selects nodes to examine, from many that lack devices for a pod: some of each kind.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "allocator/internals.h"
#include "allocator/search/prospects.h"
#include "api/resource_v1/claim.h"
#include "base/frozen.h"
#include "base/work.h"
#include "dray/snapshot.h"
#include "scheduler/cluster/node_state.h"

namespace dray::scheduler::inline reports {

/// Groups nodes by the devices they have for the claims. Not thread-safe.
class UnfitCandidates {
 public:
  /// `wanted`: the claims that need devices. All work is charged to `work`, which must outlive
  /// this.
  UnfitCandidates(const allocator::Snapshot& devices,
                  std::span<const Frozen<api::resource_v1::ResourceClaim>> wanted,
                  Work& work)
      : prospects_(allocator::Internals::ClusterOf(devices), wanted, work) {}

  /// The node must outlive this.
  void Add(const NodeState& node);
  size_t size() const { return size_; }

  /// One node of each group, then a second of each, and so on, so that any prefix shows as many
  /// reasons as possible. The group that lacks the fewest devices comes first; of equal ones the
  /// group with the most devices of the wanted kind. O(nodes).
  std::vector<const NodeState*> InTurns() const;

 private:
  /// Sorts the groups, unknown ones last.
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
