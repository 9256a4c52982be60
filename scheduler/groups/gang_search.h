// SPDX-License-Identifier: Apache-2.0
// Searches nodes and devices for all pods of a gang together, after placing them one by one has
// failed. (kube-scheduler has no such search, and misses gangs that fit:
// kubernetes/kubernetes#138765.)
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/allocation.h"
#include "api/resource_v1/claim.h"
#include "base/frozen.h"
#include "base/result.h"
#include "dray/allocated_state.h"
#include "dray/allocator.h"
#include "dray/snapshot.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/cycle/cycle.h"
#include "scheduler/groups/group_attempt.h"

namespace dray::scheduler::inline groups {

/// Devices that the search must not use.
using Banned = std::set<allocator::DeviceId>;

/// The most trials (a pod on a node) of one search.
inline constexpr size_t kGangQuestionsMax = 2000;

/// The cluster as the search sees it.
struct GangBoard {
  /// In the order in which the search tries them.
  std::vector<const NodeState*> nodes;
  /// Decides about a pod as if there were only that node, with `search` for devices.
  std::function<Decision(const api::core_v1::Pod& pod,
                         std::span<const api::Object> claims,
                         const PlacedSoFar& placed,
                         const NodeState& node,
                         const DeviceSearch& search)>
      decide_on;
  /// Allocates devices of a node for claims, without those that are held.
  std::function<Result<allocator::Outcome>(
      std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
      const api::core_v1::Node& node,
      const Banned& banned)>
      allocate;
  /// Whether other nodes can use the device too.
  std::function<bool(const api::resource_v1::DeviceRequestAllocationResult& result)> is_shared;
  size_t questions_max = kGangQuestionsMax;
};

/// The names of the slices of a pool, "driver/pool".
using SlicesOf = std::function<std::vector<std::string>(const std::string& pool)>;
/// A copy of the devices in which those banned have a taint that no request tolerates. Unlike taken
/// devices, banned ones consume no counters.
allocator::Snapshot WithoutBanned(const allocator::Snapshot& devices,
                                  const Banned& banned,
                                  const SlicesOf& slices_of);

/// The most members of a group for this search, which limits its recursion. Larger groups are only
/// placed pod by pod.
inline constexpr size_t kGangMembersMax = 512;

/// Places at least `needed` of the members, and more if the search finds places on its way, or
/// none. Returns their placements, absent for members that are left out. Returns nothing if there
/// is no solution, or if there are more than kGangMembersMax members.
///
/// The search is complete within its limit of trials and the allocator's budget. One trial chooses
/// the devices of all pods on a node, and for devices that several nodes can use it tries all
/// choices. Members that are alike are not permuted. Cost: exponential in members at worst, hence
/// the limit; each trial is one search of the allocator.
std::optional<std::vector<std::optional<Placement>>> SearchGang(
    std::span<const GroupMember> members,
    size_t needed,
    const GangBoard& board,
    PlacedSoFar& placed);

/// Places a group with PlaceGroup; if that finds no place for a gang, with SearchGang, unless the
/// board allows no trials.
GroupOutcome PlaceGang(std::span<const GroupMember> members,
                       const GroupProgress& progress,
                       const DecideNext& decide,
                       const GangBoard& board,
                       PlacedSoFar& placed);

}  // namespace dray::scheduler::inline groups
