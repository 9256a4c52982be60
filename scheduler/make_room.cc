// SPDX-License-Identifier: Apache-2.0
// What the scheduler does for pods that fit nowhere: it gives up what is in their way and of use to
// nobody, and makes less important pods go.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "api/resource_v1/claim.h"
#include "scheduler/scheduler.h"

namespace dray::scheduler {
namespace {

using api::resource_v1::ResourceClaim;

/// Whether nobody but those with these uids uses the claim.
bool IsUsedOnlyBy(const api::Object& claim, std::string_view uid) {
  const auto& users = claim.As<ResourceClaim>().status.reserved_for;
  return users.empty() || (users.size() == 1 && users[0].uid == uid);
}

}  // namespace

void Scheduler::HandleUnschedulable(const std::string& key,
                                    const api::Object& pod,
                                    std::span<const api::Object> claims,
                                    Unschedulable result) {
  if (options_.metrics != nullptr) options_.metrics->CountPreemption();
  const Result<Room> room = MakeRoom(result, claims, pod);
  if (!room) return HandleFailure(key, pod, room.error().message);
  const std::string message = MessageOf(result, room->given_up);
  queue_.AddUnschedulable(key, std::move(result.waits_for), Now());
  if (room->freed.has_value()) AssumeClaim(*room->freed);  // wakes this pod too
  // While room is being made the pod keeps its place.
  std::optional<std::string> nomination;
  if (result.preemption.has_value()) {
    nomination = result.preemption->name;
  } else if (result.not_preempting.empty()) {
    nomination = "";
  }
  RecordFailure(
      pod, {.reason = "Unschedulable", .message = message, .nomination = std::move(nomination)});
  if (!result.preemption.has_value()) return;
  const Preemptor preemptor{.type = "pod", .uid = pod.metadata().uid, .scheduler = NameFor(pod)};
  Evict(result.preemption->victims, preemptor, result.preemption->name);
}

/// Gives up what is in the way of the pod and of use to nobody: upstream's PostFilter.
Result<Scheduler::Room> Scheduler::MakeRoom(const Unschedulable& result,
                                            std::span<const api::Object> claims,
                                            const api::Object& pod) {
  const std::string& pod_uid = pod.metadata().uid;
  if (const std::optional<size_t> useless = ClaimToDeallocate(result, claims, pod_uid)) {
    if (classic_.has_value() && IsDrivers(claims[*useless])) {
      return GiveUpForClassic(pod, claims[*useless]);
    }
    DRAY_TRY(api::Object freed, Deallocate(client_, claims[*useless]));
    return Room{.given_up = GivenUp::kAllocation, .freed = std::move(freed)};
  }
  const api::Object* left_over =
      result.left_over_in_the_way ? cluster_.LeftOverOf(pod_uid) : nullptr;
  if (left_over == nullptr) return Room{.given_up = NothingGivenUp(result, claims), .freed = {}};
  DRAY_TRY_VOID(DeleteExtendedClaim(client_, api::Object(*left_over)));
  return Room{.given_up = GivenUp::kClaim, .freed = std::nullopt};
}

/// Deletes the victims, once it is stored why. `place`: a node, or "cluster".
void Scheduler::Evict(std::span<const PodOnNode> victims,
                      const Preemptor& preemptor,
                      std::string_view place) {
  if (options_.metrics != nullptr) options_.metrics->CountVictims(victims.size());
  const api::Time now = api::Time::Of(world_.clock.Now());
  for (const PodOnNode& victim : victims) {
    const api::Object* found = cluster_.FindPod(victim.key);
    if (found == nullptr || found->metadata().uid != victim.uid) continue;
    const api::Object known = *found;
    const Result<> evicted = EvictPod(client_, known, preemptor, now);
    if (!evicted) {
      log_.Warning("cannot evict a pod", "pod", victim.key, "error", evicted.error().message);
      continue;
    }
    reporter_.Record(known,
                     {.type = client::EventType::kNormal,
                      .reason = "Preempted",
                      .message = fmt::format(
                          "Preempted by {} {} on node {}", preemptor.type, preemptor.uid, place),
                      .action = "Preempting",
                      .component = preemptor.scheduler});
  }
}

/// Gives up what is of no use to the group, like upstream's PodGroupPostFilter, and looks for
/// victims.
Scheduler::GroupRoom Scheduler::MakeRoomForGroup(const api::Object& group,
                                                 std::span<const GroupMember> members,
                                                 const GroupOutcome& outcome,
                                                 size_t scheduled) {
  GroupRoom room;
  std::vector<api::Object>& freed = room.freed;
  const bool is_any_scheduled = scheduled > 0;
  std::set<std::string> seen;
  const auto free = [&](const api::Object& claim) {
    if (!seen.insert(claim.metadata().uid).second) return;
    Result<api::Object> written = Deallocate(client_, claim);
    if (written) freed.push_back(*std::move(written));
  };
  const std::string& group_uid = group.metadata().uid;
  for (size_t i = 0; i < members.size(); ++i) {
    if (!outcome.decisions[i]) continue;
    const auto* nowhere = std::get_if<Unschedulable>(&*outcome.decisions[i]);
    if (nowhere == nullptr) continue;
    const std::string& uid = members[i].pod.metadata().uid;
    if (const auto useless = ClaimToDeallocate(*nowhere, members[i].claims, uid)) {
      free(members[i].claims[*useless]);
    } else if (!is_any_scheduled && freed.empty()) {
      const auto of_group = std::ranges::find_if(nowhere->unavailable_claims, [&](size_t at) {
        return IsUsedOnlyBy(members[i].claims[at], group_uid);
      });
      if (of_group != nowhere->unavailable_claims.end()) free(members[i].claims[*of_group]);
    }
    if (nowhere->left_over_in_the_way) {
      if (const api::Object* left_over = cluster_.LeftOverOf(uid)) {
        (void)DeleteExtendedClaim(client_, api::Object(*left_over));
      }
    }
  }
  const bool may_unreserve = !is_any_scheduled && freed.empty() && options_.group_claims;
  if (may_unreserve && UnreserveOneOf(group, members, freed)) {
    room.message = "ResourceClaim unreserved for PodGroup";
  } else {
    PreemptForGroup(group, members, scheduled, room);
  }
  return room;
}

/// Takes the group off the users of one of its claims, so that others may have its devices.
bool Scheduler::UnreserveOneOf(const api::Object& group,
                               std::span<const GroupMember> members,
                               std::vector<api::Object>& freed) {
  const std::string& group_uid = group.metadata().uid;
  for (const GroupMember& member : members) {
    for (size_t i = 0; i < member.claims.size(); ++i) {
      const auto& claim = member.claims[i].As<ResourceClaim>();
      if (member.consumers[i].uid != group_uid || !claim.status.allocation ||
          !api::claims::IsReservedFor(claim, group_uid)) {
        continue;
      }
      Result<api::Object> written = UnreserveForGroup(client_, member.claims[i], group_uid);
      if (!written) continue;
      freed.push_back(*std::move(written));
      return true;
    }
  }
  return false;
}

}  // namespace dray::scheduler
