// SPDX-License-Identifier: Apache-2.0
#include "scheduler/evictor.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "api/resource_v1/claim.h"
#include "api/value/time.h"
#include "base/try.h"
#include "scheduler/bind/bind.h"
#include "scheduler/classic/classic_claims.h"
#include "scheduler/reports/group_writes.h"

namespace dray::scheduler {
namespace {

using api::resource_v1::ResourceClaim;

/// Whether no pod or group but the one with this uid uses the claim.
bool IsUsedOnlyBy(const api::Object& claim, std::string_view uid) {
  const auto& users = claim.As<ResourceClaim>().status.reserved_for;
  return users.empty() || (users.size() == 1 && users[0].uid == uid);
}

/// The result when no claim was given up: 1.30 and 1.31 have a text for it.
GivenUp NothingGivenUp(const UsedClaims& used,
                       const Unschedulable& result,
                       std::span<const api::Object> claims) {
  if (used.classic() == nullptr) return GivenUp::kNothing;
  const bool looked = !claims.empty() && result.claim_reason.empty();
  return looked ? GivenUp::kStillNothing : GivenUp::kNoNewClaims;
}

}  // namespace

Result<PodRoom> Evictor::MakeRoom(const Unschedulable& result,
                                  std::span<const api::Object> claims,
                                  const api::Object& pod) {
  const std::string& pod_uid = pod.metadata().uid;
  if (const std::optional<size_t> useless = ClaimToDeallocate(result, claims, pod_uid)) {
    DRAY_TRY(api::Object freed, uses_.claims.GiveUp(pod, claims[*useless]));
    return PodRoom{.given_up = GivenUp::kAllocation, .freed = std::move(freed)};
  }
  const api::Object* left_over =
      result.left_over_in_the_way ? uses_.cluster.indexes().LeftOverOf(pod_uid) : nullptr;
  if (left_over == nullptr) {
    return PodRoom{.given_up = NothingGivenUp(uses_.claims, result, claims), .freed = {}};
  }
  DRAY_TRY_VOID(DeleteExtendedClaim(uses_.client, api::Object(*left_over)));
  return PodRoom{.given_up = GivenUp::kClaim, .freed = std::nullopt};
}

GroupRoom Evictor::MakeRoomForGroup(const api::Object& group,
                                    std::span<const GroupMember> members,
                                    const GroupOutcome& outcome,
                                    size_t scheduled,
                                    const GroupQuestions& questions) {
  GroupRoom room{.freed = FreeClaimsOf(group, members, outcome, scheduled)};
  if (scheduled == 0 && room.freed.empty() && group_claims_ == GroupClaims::kShared) {
    if (std::optional<api::Object> freed = UnreserveOneOf(group, members)) {
      room.freed.push_back(*std::move(freed));
      room.message = "ResourceClaim unreserved for PodGroup";
      return room;
    }
  }
  GroupPreemption found = PreemptForGroup(uses_.cluster, group.As<PodGroup>(), members, questions);
  room.message = std::move(found.message);
  room.victims = std::move(found.victims);
  room.nominated = std::move(found.nominated);
  return room;
}

/// Deallocates claims that are in the way of members, and deletes claims left over by earlier
/// attempts. Returns the deallocated claims.
std::vector<api::Object> Evictor::FreeClaimsOf(const api::Object& group,
                                               std::span<const GroupMember> members,
                                               const GroupOutcome& outcome,
                                               size_t scheduled) {
  std::vector<api::Object> freed;
  std::set<std::string> seen;
  const auto free = [&](const api::Object& claim) {
    if (!seen.insert(claim.metadata().uid).second) return;
    Result<api::Object> written = Deallocate(uses_.client, claim);
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
    } else if (scheduled == 0 && freed.empty()) {
      const auto of_group = std::ranges::find_if(nowhere->unavailable_claims, [&](size_t at) {
        return IsUsedOnlyBy(members[i].claims[at], group_uid);
      });
      if (of_group != nowhere->unavailable_claims.end()) free(members[i].claims[*of_group]);
    }
    if (nowhere->left_over_in_the_way) {
      if (const api::Object* left_over = uses_.cluster.indexes().LeftOverOf(uid)) {
        (void)DeleteExtendedClaim(uses_.client, api::Object(*left_over));
      }
    }
  }
  return freed;
}

/// Removes the group from the consumers of one of its claims, so that other groups may use the
/// claim's devices. Returns the claim as stored.
std::optional<api::Object> Evictor::UnreserveOneOf(const api::Object& group,
                                                   std::span<const GroupMember> members) {
  const std::string& group_uid = group.metadata().uid;
  for (const GroupMember& member : members) {
    for (size_t i = 0; i < member.claims.size(); ++i) {
      const auto& claim = member.claims[i].As<ResourceClaim>();
      if (member.consumers[i].uid != group_uid || !claim.status.allocation ||
          !api::claims::IsReservedFor(claim, group_uid)) {
        continue;
      }
      Result<api::Object> written = UnreserveForGroup(uses_.client, member.claims[i], group_uid);
      if (written) return *std::move(written);
    }
  }
  return std::nullopt;
}

void Evictor::Evict(std::span<const PodOnNode> victims,
                    const Preemptor& preemptor,
                    std::string_view place) {
  if (uses_.metrics != nullptr) uses_.metrics->CountVictims(victims.size());
  const api::Time now = api::Time::Of(uses_.clock.Now());
  for (const PodOnNode& victim : victims) {
    const api::Object* found = uses_.cluster.FindPod(victim.key);
    if (found == nullptr || found->metadata().uid != victim.uid) continue;
    const api::Object known = *found;
    const Result<> evicted = EvictPod(uses_.client, known, preemptor, now);
    if (!evicted) {
      uses_.log.Warning("cannot evict a pod", "pod", victim.key, "error", evicted.error().message);
      continue;
    }
    uses_.reporter.Record(
        known,
        {.type = client::EventType::kNormal,
         .reason = "Preempted",
         .message =
             fmt::format("Preempted by {} {} on node {}", preemptor.type, preemptor.uid, place),
         .action = "Preempting",
         .component = preemptor.scheduler});
  }
}

}  // namespace dray::scheduler
