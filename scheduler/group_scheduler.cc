// SPDX-License-Identifier: Apache-2.0
#include "scheduler/group_scheduler.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "api/claims/pod_claims.h"
#include "api/core_v1/pod.h"
#include "api/value/time.h"
#include "scheduler/bind/bind.h"
#include "scheduler/cycle/pod_claims.h"
#include "scheduler/groups/group_trial.h"
#include "scheduler/reports/group_writes.h"
#include "scheduler/reports/pod_writes.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;

/// What the group waits for, merged from its members' attempts.
WaitsFor WaitsOf(std::span<const GroupMember> members, const GroupOutcome& outcome) {
  // Any of these events, because another choice for the other members may help too.
  WaitsFor waits{
      .events = {ClusterEvent::kNodes, ClusterEvent::kDevices, ClusterEvent::kAssignedPods},
      .claims = {}};
  for (const std::optional<Decision>& decision : outcome.decisions) {
    if (!decision.has_value()) continue;
    const auto* nowhere = std::get_if<Unschedulable>(&*decision);
    if (nowhere != nullptr) {
      waits.events.insert(nowhere->waits_for.events.begin(), nowhere->waits_for.events.end());
    }
  }
  std::set<std::string> claims;
  for (const GroupMember& member : members) {
    for (const api::Object& claim : member.claims) claims.insert(api::ObjectKey(claim.metadata()));
  }
  waits.claims.assign(claims.begin(), claims.end());
  return waits;
}

/// "namespace/name" of all claims that the pods name.
std::vector<std::string> ClaimsNamedBy(std::span<const api::Object* const> pods) {
  std::vector<std::string> claims;
  for (const api::Object* pod : pods)
    std::ranges::move(api::claims::KeysOf(pod->As<core_v1::Pod>()), std::back_inserter(claims));
  return claims;
}

}  // namespace

void GroupScheduler::Schedule(const std::string& entry, MonotonicTime now) {
  const std::string_view key = GroupKeyOf(entry);
  const api::Object* found = uses_.cluster.objects().groups.Find(key);
  const GroupState state = uses_.pending.StateOf(key);
  if (found == nullptr || state.waiting.empty()) return uses_.queue.Remove(entry);
  const api::Object object = *found;
  const auto& group = object.As<PodGroup>();
  // A missing pod, or a change of a gated one, adds the group again.
  if (state.is_gated || !state.IsComplete(group)) return uses_.queue.Gate(entry, {}, now);
  const auto resolved = MembersOf(uses_.cluster, state, group, options_.group_claims);
  if (const auto* gated = std::get_if<Gated>(&resolved)) {
    uses_.log.Debug("a group waits for claims", "group", key, "reason", gated->message);
    return uses_.queue.Gate(entry, {.events = {}, .claims = ClaimsNamedBy(state.waiting)}, now);
  }
  const auto& members = std::get<std::vector<GroupMember>>(resolved);
  const size_t scheduled = state.scheduled.size();
  std::vector<const core_v1::Pod*> pods;
  for (const auto& part : {state.waiting, state.scheduled}) {
    for (const api::Object* pod : part) pods.push_back(&pod->As<core_v1::Pod>());
  }
  GroupOutcome outcome;
  outcome.decisions.resize(members.size());
  outcome.message = outcome.of_unasked = WhyNotAGroup(group, pods);
  if (!outcome.message.empty()) {
    outcome.kind = GroupOutcome::Kind::kFailed;
    return Finish(entry, object, members, std::move(outcome), scheduled);
  }
  uses_.decider.Begin(entry, members.size());
  outcome = QuestionsAbout(group, members, scheduled).place();
  if (uses_.cancelled) return;
  Finish(entry, object, members, std::move(outcome), scheduled);
}

/// Questions about the members in the cluster at the time of the call; `scheduled` pods of their
/// group have a node. The arguments must outlive the result.
GroupQuestions GroupScheduler::QuestionsAbout(const PodGroup& group,
                                              std::span<const GroupMember> members,
                                              size_t scheduled) {
  const DecideMember decide = [this](const auto& pod, auto claims, const AsMember& member) {
    return uses_.decider.Decide(pod, claims, member);
  };
  const size_t first_node = uses_.decider.first_node();
  return {.place =
              [=, this, &group] {
                return TryGroup(uses_.cluster,
                                group,
                                members,
                                scheduled,
                                {.decide = decide,
                                 .budget = uses_.decider.BudgetFor(members.front().value()),
                                 .first_node = first_node,
                                 .has_topology = options_.group_topology});
              },
          .decide = decide,
          .first_node = first_node};
}

void GroupScheduler::BindMembers(std::span<const GroupMember> members, GroupOutcome& outcome) {
  std::map<std::string, size_t, std::less<>> users;  // of claims to allocate
  const auto placement_of = [&](size_t i) {
    return outcome.decisions[i] ? std::get_if<Placement>(&*outcome.decisions[i]) : nullptr;
  };
  for (size_t i = 0; i < members.size(); ++i) {
    if (placement_of(i) == nullptr) continue;
    for (const api::Object& claim : members[i].claims) ++users[claim.metadata().uid];
  }
  for (size_t i = 0; i < members.size(); ++i) {
    Placement* placement = placement_of(i);
    if (placement == nullptr) continue;
    const GroupMember& member = members[i];
    uses_.decider.GoOnAfter(*placement);
    std::vector<ClaimToBind> claims;
    for (size_t at = 0; at < member.claims.size(); ++at) {
      const std::string& uid = member.claims[at].metadata().uid;
      ClaimToBind claim{.claim = member.claims[at],
                        .allocation = placement->allocations[at],
                        .consumer = member.consumers[at],
                        .is_pending = users[uid] > 1};
      if (const auto chosen = outcome.chosen.find(uid); chosen != outcome.chosen.end()) {
        claim.allocation = chosen->second;
      }
      claims.push_back(std::move(claim));
    }
    uses_.binder.Place(member.pod, std::move(claims), std::move(*placement));
  }
}

void GroupScheduler::Finish(const std::string& entry,
                            const api::Object& group,
                            std::span<const GroupMember> members,
                            GroupOutcome outcome,
                            size_t scheduled) {
  GroupCondition condition{.is_scheduled = false, .reason = {}, .message = outcome.message};
  GroupRoom room;
  switch (outcome.kind) {
    case GroupOutcome::Kind::kScheduled:
      condition = {.is_scheduled = true, .reason = "Scheduled", .message = {}};
      uses_.queue.Remove(entry);
      ReportMembers(members, outcome);
      BindMembers(members, outcome);
      // Try the members that were left out again, because the others do not keep them from a node
      // now.
      uses_.pending.AddGroup(group);
      break;
    case GroupOutcome::Kind::kFailed:
      condition.reason = "SchedulerError";
      if (uses_.decider.is_spent()) {
        outcome.message += "; " + uses_.decider.PutAside(entry);
        condition.message = outcome.message;
      } else {
        uses_.queue.AddBackoff(entry, uses_.clock.Monotonic());
      }
      ReportMembers(members, outcome);
      break;
    case GroupOutcome::Kind::kUnschedulable:
      condition.reason = "Unschedulable";
      room =
          uses_.evictor.MakeRoomForGroup(group,
                                         members,
                                         outcome,
                                         scheduled,
                                         QuestionsAbout(group.As<PodGroup>(), members, scheduled));
      outcome.message += ", " + room.message;
      condition.message = outcome.message;
      uses_.queue.AddUnschedulable(entry, WaitsOf(members, outcome), uses_.clock.Monotonic());
      ReportMembers(members, outcome, room);
      uses_.evictor.Evict(room.victims,
                          {.type = "podgroup",
                           .uid = group.metadata().uid,
                           .scheduler = ReporterOf(uses_.configuration, members.front().value())},
                          "cluster");
      break;
  }
  WriteCondition(group, condition);
  for (const api::Object& claim : room.freed) uses_.feed.Assume(claim);  // also wakes this group
}

/// Reports for each member that is not placed why it is not.
void GroupScheduler::ReportMembers(std::span<const GroupMember> members,
                                   const GroupOutcome& outcome,
                                   const GroupRoom& room) {
  using Kind = GroupOutcome::Kind;
  for (size_t i = 0; i < members.size(); ++i) {
    std::optional<std::string> message = WhyNotPlaced(outcome, i);
    if (!message.has_value()) continue;
    const WhyNotScheduled why{
        .reason = outcome.kind == Kind::kFailed ? "SchedulerError" : "Unschedulable",
        .message = *std::move(message),
        .nomination = room.nominated.empty() ? std::string() : room.nominated[i]};
    uses_.outcomes.ReportFailure(members[i].pod, why);
  }
}

void GroupScheduler::WriteCondition(const api::Object& group, const GroupCondition& condition) {
  const api::Object* found = uses_.cluster.objects().groups.Find(api::ObjectKey(group.metadata()));
  const api::Object newest = found == nullptr ? group : *found;
  const Result<api::Object> written =
      ReportGroup(uses_.client, newest, condition, api::Time::Of(uses_.clock.Now()));
  if (written) {
    uses_.feed.Assume(*written);
  } else if (written.error().reason != StatusReason::kNotFound) {
    uses_.log.Warning("cannot tell what became of a pod group",
                      "group",
                      group.metadata().name,
                      "error",
                      written.error().message);
  }
}

}  // namespace dray::scheduler
