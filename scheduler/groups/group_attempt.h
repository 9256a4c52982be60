// SPDX-License-Identifier: Apache-2.0
// One attempt to find nodes for the pods of a group, one after the other as kube-scheduler does it:
// each as if those before it were on their nodes already (KEP-4671).
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

/// What is said of a group that cannot be placed.
inline constexpr std::string_view kGroupUnschedulable = "pod group is unschedulable";

/// Decides about one pod of the group. `claims` are as seen by it.
using DecideNext = std::function<Decision(
    const api::core_v1::Pod& pod, std::span<const api::Object> claims, const PlacedSoFar& placed)>;

struct GroupOutcome {
  enum class Kind : uint8_t {
    kScheduled,      // those with a placement can be bound
    kUnschedulable,  // nobody can
    kFailed,         // something is wrong with one of them
  } kind = Kind::kUnschedulable;
  /// Per member; absent: it was not looked at.
  std::vector<std::optional<Decision>> decisions;
  std::string message;     // why they are not scheduled, of the group
  std::string of_unasked;  // what is said of those that were not looked at
  /// What the placements allocate, by uid of the claim; several may rely on one of them.
  std::map<std::string, api::resource_v1::AllocationResult> chosen;
};

/// Where a member is placed; null when it is not.
inline const Placement* PlacementOf(const GroupOutcome& outcome, size_t member) {
  const std::optional<Decision>& decision = outcome.decisions[member];
  return decision.has_value() ? std::get_if<Placement>(&*decision) : nullptr;
}

/// Places as many members as fit, in their order, and says whether that is enough. `progress`: how
/// many of the group are scheduled already, and how many are left, these.
GroupOutcome PlaceGroup(std::span<const GroupMember> members,
                        GroupProgress progress,
                        const DecideNext& decide,
                        PlacedSoFar& placed);

}  // namespace dray::scheduler::inline groups
