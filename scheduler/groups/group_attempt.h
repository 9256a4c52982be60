// SPDX-License-Identifier: Apache-2.0
// One attempt to place the pods of a group one by one, as kube-scheduler does: each pod sees those
// before it on their nodes (KEP-4671).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "scheduler/cluster/pod_groups.h"
#include "scheduler/cycle/cycle.h"
#include "scheduler/cycle/placed_so_far.h"

namespace dray::scheduler::inline groups {

/// The message of a group that cannot be placed.
inline constexpr std::string_view kGroupUnschedulable = "pod group is unschedulable";

/// Decides about one pod of the group. `claims` include choices made for the pods before it.
using DecideNext = std::function<Decision(
    const api::core_v1::Pod& pod, std::span<const api::Object> claims, const PlacedSoFar& placed)>;

struct GroupOutcome {
  enum class Kind : uint8_t {
    kScheduled,      // those with a placement can be bound
    kUnschedulable,  // no member can be bound
    kFailed,         // the attempt for a member ended with an error
  } kind = Kind::kUnschedulable;
  /// Per member; absent: the member was not tried.
  std::vector<std::optional<Decision>> decisions;
  std::string message;     // of the group: why it is not scheduled
  std::string of_unasked;  // the message for members that were not tried
  /// The allocations of the placements, by uid of the claim; several placements may share one.
  std::map<std::string, api::resource_v1::AllocationResult> chosen;
};

/// The placement of a member; null if there is none.
inline const Placement* PlacementOf(const GroupOutcome& outcome, size_t member) {
  const std::optional<Decision>& decision = outcome.decisions[member];
  return decision.has_value() ? std::get_if<Placement>(&*decision) : nullptr;
}

/// Places as many members as fit, in their order, and decides whether they are enough. `progress`:
/// the number of scheduled pods of the group, and of those left, which are `members`.
GroupOutcome PlaceGroup(std::span<const GroupMember> members,
                        GroupProgress progress,
                        const DecideNext& decide,
                        PlacedSoFar& placed);

}  // namespace dray::scheduler::inline groups
