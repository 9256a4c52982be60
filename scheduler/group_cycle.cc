// SPDX-License-Identifier: Apache-2.0
// The scheduler and groups of pods: in the queue a group is one entry, which stands for all its
// pods that wait for a node; an attempt is for all of them.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "api/claims/pod_groups.h"
#include "api/pods/life.h"
#include "api/resource_v1/slice.h"
#include "scheduler/pod_claims.h"
#include "scheduler/scheduler.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

// No key of a pod begins like that: names have no colon.
constexpr std::string_view kGroupPrefix = "podgroup:";

/// What an attempt for the group waits for, from those for its pods.
WaitsFor WaitsOf(std::span<const GroupMember> members, const GroupOutcome& outcome) {
  // Whatever kept one of them from its place: another choice for the others may help.
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

/// Whose pods wait for each other if an attempt for this one takes too much; empty: none does that
/// asks for so little.
std::string ShareOf(const core_v1::Pod& pod) {
  const bool asks_much = !pod.spec.resource_claims.empty() || pod.spec.affinity.has_value() ||
                         !pod.spec.topology_spread_constraints.empty();
  return asks_much ? pod.metadata.namespace_ : std::string();
}

}  // namespace

bool IsGroupEntry(std::string_view entry) {
  return entry.starts_with(kGroupPrefix);
}

// ------------------------------------------------------------------------------------------------
// The queue.

std::string Scheduler::EntryOf(const core_v1::Pod& pod) const {
  const std::string group = options_.pod_groups ? api::claims::PodGroupKeyOf(pod) : std::string();
  return group.empty() ? api::ObjectKey(pod.metadata) : fmt::format("{}{}", kGroupPrefix, group);
}

void Scheduler::Enqueue(const core_v1::Pod& pod) {
  const std::string entry = EntryOf(pod);
  if (!IsGroupEntry(entry)) {
    return queue_.Add(entry, pod.spec.priority.value_or(0), Now(), ShareOf(pod));
  }
  const api::Object* group = cluster_.objects().groups.Find(entry.substr(kGroupPrefix.size()));
  if (group == nullptr) return;  // the pod waits for it
  queue_.Add(
      entry, group->As<PodGroup>().spec.priority.value_or(0), Now(), group->metadata().namespace_);
}

void Scheduler::Dequeue(const core_v1::Pod& pod) {
  if (reports_.has_value()) reports_->Forget(pod.metadata.uid);
  const std::string entry = EntryOf(pod);
  if (!queue_.Has(entry)) return;
  if (IsGroupEntry(entry) && !StateOf(entry.substr(kGroupPrefix.size())).waiting.empty()) return;
  queue_.Remove(entry);
}

void Scheduler::OnGroup(const api::Object* before, const api::Object* after) {
  const std::string key = api::ObjectKey((after != nullptr ? after : before)->metadata());
  const std::string entry = fmt::format("{}{}", kGroupPrefix, key);
  if (after == nullptr) return queue_.Remove(entry);
  if (before != nullptr && before->As<PodGroup>().spec == after->As<PodGroup>().spec) return;
  if (StateOf(key).waiting.empty()) return;
  queue_.Add(
      entry, after->As<PodGroup>().spec.priority.value_or(0), Now(), after->metadata().namespace_);
}

GroupState Scheduler::StateOf(std::string_view group_key) const {
  return GroupStateOf(
      cluster_, group_key, [this](const core_v1::Pod& pod) { return ProfileOf(pod) != nullptr; });
}

// ------------------------------------------------------------------------------------------------
// One attempt.

void Scheduler::ScheduleGroup(const std::string& entry, MonotonicTime now) {
  const std::string key = entry.substr(kGroupPrefix.size());
  const api::Object* found = cluster_.objects().groups.Find(key);
  const GroupState state = StateOf(key);
  if (found == nullptr || state.waiting.empty()) return queue_.Remove(entry);
  const api::Object object = *found;
  const auto& group = object.As<PodGroup>();
  // What is missing is a pod, or a change of one: that brings the group back.
  if (state.is_gated || !state.IsComplete(group)) return queue_.Gate(entry, {}, now);
  const auto resolved = MembersOf(cluster_, state, group, options_.group_claims);
  if (const auto* gated = std::get_if<Gated>(&resolved)) {
    log_.Debug("a group waits for claims", "group", key, "reason", gated->message);
    return queue_.Gate(entry, {.events = {}, .claims = ClaimsNamedBy(state.waiting)}, now);
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
    return FinishGroup(entry, object, members, std::move(outcome), scheduled);
  }
  BeginWork(entry, members.size());
  outcome = TryGroup(group, members, scheduled);
  if (stopping_) return;
  FinishGroup(entry, object, members, std::move(outcome), scheduled);
}

/// Looks for places for the members; `scheduled` of their group have one.
GroupOutcome Scheduler::TryGroup(const PodGroup& group,
                                 std::span<const GroupMember> members,
                                 size_t scheduled) {
  return scheduler::TryGroup(cluster_,
                             group,
                             members,
                             scheduled,
                             {.decide =
                                  [this](const auto& pod, auto claims, const AsMember& member) {
                                    return SchedulePod(pod, claims, member);
                                  },
                              .budget = BudgetFor(*ProfileOf(members.front().value())),
                              .first_node = first_node_,
                              .has_topology = options_.group_topology});
}

void Scheduler::BindMembers(std::span<const GroupMember> members, GroupOutcome& outcome) {
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
    first_node_ = placement->next_first_node;
    BindTask task = BeginTask(member.pod, *placement);
    for (size_t at = 0; at < member.claims.size(); ++at) {
      const std::string& uid = member.claims[at].metadata().uid;
      ClaimToBind claim{.claim = member.claims[at],
                        .allocation = placement->allocations[at],
                        .consumer = member.consumers[at],
                        .is_pending = users[uid] > 1};
      if (const auto chosen = outcome.chosen.find(uid); chosen != outcome.chosen.end()) {
        claim.allocation = chosen->second;
      }
      Hold(task, std::move(claim));
    }
    Assume(std::move(task), std::move(*placement));
  }
}

// ------------------------------------------------------------------------------------------------
// What becomes of it.

void Scheduler::FinishGroup(const std::string& entry,
                            const api::Object& group,
                            std::span<const GroupMember> members,
                            GroupOutcome outcome,
                            size_t scheduled) {
  GroupCondition condition{.is_scheduled = false, .reason = {}, .message = outcome.message};
  GroupRoom room;
  switch (outcome.kind) {
    case GroupOutcome::Kind::kScheduled:
      condition = {.is_scheduled = true, .reason = "Scheduled", .message = {}};
      queue_.Remove(entry);
      TellMembers(members, outcome);
      BindMembers(members, outcome);
      // Those that were left out: now it is known that it is their own fault.
      if (!StateOf(api::ObjectKey(group.metadata())).waiting.empty()) {
        queue_.Add(entry,
                   group.As<PodGroup>().spec.priority.value_or(0),
                   Now(),
                   group.metadata().namespace_);
      }
      break;
    case GroupOutcome::Kind::kFailed:
      condition.reason = "SchedulerError";
      if (work_.has_value() && work_->is_spent()) {
        outcome.message += "; " + PutAside(entry);
        condition.message = outcome.message;
      } else {
        queue_.AddBackoff(entry, Now());
      }
      TellMembers(members, outcome);
      break;
    case GroupOutcome::Kind::kUnschedulable:
      condition.reason = "Unschedulable";
      room = MakeRoomForGroup(group, members, outcome, scheduled);
      outcome.message += ", " + room.message;
      condition.message = outcome.message;
      queue_.AddUnschedulable(entry, WaitsOf(members, outcome), Now());
      TellMembers(members, outcome, room);
      Evict(room.victims,
            {.type = "podgroup",
             .uid = group.metadata().uid,
             .scheduler = NameFor(members.front().pod)},
            "cluster");
      break;
  }
  TellOfGroupNow(group, condition);
  for (const api::Object& claim : room.freed) feed_.Assume(claim);  // wakes this group too
}

/// Says of each pod that is not placed why.
void Scheduler::TellMembers(std::span<const GroupMember> members,
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
    RecordFailure(members[i].pod, why);
  }
}

void Scheduler::TellOfGroupNow(const api::Object& group, const GroupCondition& condition) {
  const api::Object* found = cluster_.objects().groups.Find(api::ObjectKey(group.metadata()));
  const api::Object newest = found == nullptr ? group : *found;
  const Result<api::Object> written =
      TellOfGroup(client_, newest, condition, api::Time::Of(world_.clock.Now()));
  if (written) {
    feed_.Assume(*written);
  } else if (written.error().reason != StatusReason::kNotFound) {
    log_.Warning("cannot tell what became of a pod group",
                 "group",
                 group.metadata().name,
                 "error",
                 written.error().message);
  }
}

}  // namespace dray::scheduler
