// SPDX-License-Identifier: Apache-2.0
// Where the pods of a gang go when placing one after the other has failed: nodes and devices of all
// of them are searched together. (kube-scheduler has no such search, and misses gangs that fit:
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
#include "base/published.h"
#include "base/result.h"
#include "dray/allocated_state.h"
#include "dray/allocator.h"
#include "dray/snapshot.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/cycle/cycle.h"
#include "scheduler/groups/group_attempt.h"

namespace dray::scheduler::inline groups {

/// Devices that must not be used.
using Banned = std::set<allocator::DeviceId>;

/// Questions about a pod on a node that one search may ask.
inline constexpr size_t kGangQuestionsMax = 2000;

/// The cluster as the search sees it.
struct GangBoard {
  /// In the order in which they are tried.
  std::vector<const NodeState*> nodes;
  /// Decides about a pod as if there were only that node, which finds devices by `search`.
  std::function<Decision(const api::core_v1::Pod& pod,
                         std::span<const api::Object> claims,
                         const PlacedSoFar& placed,
                         const NodeState& node,
                         const DeviceSearch& search)>
      decide_on;
  /// Devices for claims on a node, beside those that are held.
  std::function<Result<allocator::Outcome>(
      std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
      const api::core_v1::Node& node,
      const Banned& banned)>
      allocate;
  /// Whether other nodes can use the device, too.
  std::function<bool(const api::resource_v1::DeviceRequestAllocationResult& result)> is_shared;
  size_t questions_max = kGangQuestionsMax;
};

/// The names of the slices of a pool, "driver/pool".
using SlicesOf = std::function<std::vector<std::string>(const std::string& pool)>;
/// The devices as they are, but for those banned: they get a taint that nothing tolerates. They
/// take nothing of their counters, unlike devices that are taken.
allocator::Snapshot WithoutBanned(const allocator::Snapshot& devices,
                                  const Banned& banned,
                                  const SlicesOf& slices_of);

/// Members of a group that is searched for together: the search goes as deep. Larger groups are
/// placed pod by pod only.
inline constexpr size_t kGangMembersMax = 512;

/// Places at least `needed` of the members, as many as it comes across, or nobody. Returns their
/// placements, absent for those that are left out; nothing if it finds none, or if there are more
/// than kGangMembersMax.
///
/// Complete, as long as its questions suffice and the allocator's budget does: the devices of pods
/// on one node are chosen by one question, and of those that several nodes can use all choices are
/// tried. Members that are alike are not exchanged for each other. Cost: exponential in members at
/// worst, hence the limit; each question is one search of the allocator.
std::optional<std::vector<std::optional<Placement>>> SearchGang(
    std::span<const GroupMember> members,
    size_t needed,
    const GangBoard& board,
    PlacedSoFar& placed);

/// Places a group as PlaceGroup does; where that finds no place for a gang, as SearchGang
/// does, unless the board allows no questions.
GroupOutcome PlaceGang(std::span<const GroupMember> members,
                       const GroupProgress& progress,
                       const DecideNext& decide,
                       const GangBoard& board,
                       PlacedSoFar& placed);

}  // namespace dray::scheduler::inline groups
