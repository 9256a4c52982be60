// SPDX-License-Identifier: Apache-2.0
#include "scheduler/groups/group_attempt.h"

#include <utility>
#include <variant>

#include <fmt/format.h>

namespace dray::scheduler::inline groups {

GroupOutcome PlaceGroup(std::span<const GroupMember> members,
                        GroupProgress progress,
                        const DecideNext& decide,
                        PlacedSoFar& placed) {
  using Kind = GroupOutcome::Kind;
  GroupOutcome outcome;
  outcome.decisions.resize(members.size());
  if (progress.IsHopeless()) {
    outcome.message = fmt::format("{}, {}", kGroupUnschedulable, MessageOf(progress));
    outcome.of_unasked = outcome.message;
    return outcome;
  }
  bool is_any_placed = false;
  for (size_t i = 0; i < members.size(); ++i) {
    const GroupMember& member = members[i];
    Decision decision = decide(member.value(), placed.AsSeen(member.claims), placed);
    --progress.remaining;
    if (const auto* failed = std::get_if<AttemptFailed>(&decision)) {
      outcome.kind = Kind::kFailed;
      outcome.message = "failed to schedule other pod from a pod group: " + failed->message;
      outcome.of_unasked = outcome.message;
      outcome.decisions[i] = std::move(decision);
      return outcome;
    }
    if (const auto* placement = std::get_if<Placement>(&decision)) {
      placed.Place(member, *placement);
      ++progress.scheduled;
      is_any_placed = true;
    }
    outcome.decisions[i] = std::move(decision);
    if (progress.IsHopeless()) {
      outcome.message = outcome.of_unasked = MessageOf(progress);
      return outcome;
    }
  }
  if (is_any_placed) {
    outcome.kind = Kind::kScheduled;
  } else {
    outcome.message = outcome.of_unasked = std::string(kGroupUnschedulable);
  }
  return outcome;
}

}  // namespace dray::scheduler::inline groups
