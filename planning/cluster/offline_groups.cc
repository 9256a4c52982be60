// SPDX-License-Identifier: Apache-2.0
// OfflineCluster's decisions about groups of pods. All waiting pods of a group are decided
// together, as in the scheduler.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "api/claims/pod_groups.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/objects/waiting.h"

namespace dray::planning::inline cluster {
namespace {

namespace core = api::core_v1;

bool IsWaiting(const core::Pod& pod) {
  return StateOf(pod).empty();
}

}  // namespace

bool OfflineCluster::IsOfGroup(const core::Pod& pod) const {
  return options_.pod_groups && !api::claims::PodGroupKeyOf(pod).empty();
}

/// Uids of new pods of the group that admission rejects if all are created in the given order.
std::set<std::string> OfflineCluster::MembersNotLetIn(const std::string& group_key) {
  std::set<std::string> refused;
  for (const PlacedObject& placed : objects_.pods) {
    const auto& pod = placed.object.As<core::Pod>();
    if (IsStored(placed.object) || !IsWaiting(pod) || api::claims::PodGroupKeyOf(pod) != group_key)
      continue;
    if (!admission_->Admit(placed.object, cluster_).empty()) refused.insert(pod.metadata.uid);
  }
  return refused;
}

const OfflineCluster::GroupDecision& OfflineCluster::DecideGroup(const std::string& group_key) {
  const auto known = decided_groups_.find(group_key);
  if (known != decided_groups_.end()) return known->second;
  GroupDecision decision = DecideGroupAnew(group_key);
  return decided_groups_.insert_or_assign(group_key, std::move(decision)).first->second;
}

OfflineCluster::GroupDecision OfflineCluster::DecideGroupAnew(const std::string& group_key) {
  const api::Object* const found = cluster_.objects().groups.Find(group_key);
  if (found == nullptr)
    return {.why_not = fmt::format("waits for PodGroup {}, which is not in the input", group_key)};
  const api::Object object = *found;
  const auto& group = object.As<scheduler::PodGroup>();
  const std::set<std::string> not_let_in = MembersNotLetIn(group_key);
  const auto is_ours = [&](const core::Pod& pod) {
    return IsWaiting(pod) && !not_let_in.contains(pod.metadata.uid);
  };
  // Create the claims of the templates of each pod.
  for (const api::Object* one : scheduler::GroupStateOf(cluster_, group_key, is_ours).waiting) {
    api::Object pod = one->Clone();
    PrepareClaims(pod);
    cluster_.objects().pods.Put(pod);
  }
  const scheduler::GroupState state = scheduler::GroupStateOf(cluster_, group_key, is_ours);
  if (state.is_gated)
    return {.why_not = fmt::format("PodGroup {} waits: scheduling gates block one of its pods",
                                   group_key)};
  if (!state.IsComplete(group)) {
    return {.why_not = fmt::format("PodGroup {} waits for more pods: it needs {}, and has {}",
                                   group_key,
                                   scheduler::MinCountOf(group),
                                   state.waiting.size() + state.scheduled.size())};
  }
  auto resolved = scheduler::MembersOf(cluster_, state, group, options_.group_claims);
  if (auto* gated = std::get_if<scheduler::Gated>(&resolved))
    return {.why_not = std::move(gated->message)};
  GroupDecision decision{.members =
                             std::get<std::vector<scheduler::GroupMember>>(std::move(resolved))};
  std::vector<const core::Pod*> pods;
  for (const auto& part : {state.waiting, state.scheduled}) {
    for (const api::Object* pod : part) pods.push_back(&pod->As<core::Pod>());
  }
  decision.why_not = scheduler::WhyNotAGroup(group, pods);
  if (!decision.why_not.empty()) return decision;
  const auto decide = [this](const auto& pod, auto claims, const scheduler::AsMember& member) {
    scheduler::AttemptOptions options = OptionsFor(nullptr);
    options.member = member;
    return scheduler::TryPod(cluster_, pod, claims, options);
  };
  const scheduler::GroupTrialOptions trial{.decide = decide,
                                           .budget = options_.budget,
                                           .first_node = first_node_,
                                           .has_topology = options_.group_topology};
  const size_t scheduled = state.scheduled.size();
  decision.outcome = scheduler::TryGroup(cluster_, group, decision.members, scheduled, trial);
  if (decision.outcome.kind == scheduler::GroupOutcome::Kind::kUnschedulable) {
    const auto place = [&] {
      return scheduler::TryGroup(cluster_, group, decision.members, scheduled, trial);
    };
    decision.room =
        scheduler::PreemptForGroup(cluster_,
                                   group,
                                   decision.members,
                                   {.place = place, .decide = decide, .first_node = first_node_});
  }
  return decision;
}

OfflineCluster::GroupDecision OfflineCluster::DecideGroupWithRoom(
    const std::string& group_key, std::vector<std::string>& evicted) {
  for (;;) {
    GroupDecision decision = DecideGroup(group_key);
    if (!Evict(decision.room.victims, evicted)) {
      if (!decision.room.message.empty()) decision.outcome.message += ", " + decision.room.message;
      return decision;
    }
    for (size_t i = 0; i < decision.members.size(); ++i) {
      api::Object pod = decision.members[i].pod.Clone();
      pod.Mutable<core::Pod>().status.nominated_node_name = decision.room.nominated[i];
      cluster_.objects().pods.Put(pod);
    }
  }
}

OfflineAnswer OfflineCluster::AllocateMember(const api::Object& pod, const std::string& place) {
  const std::string& uid = pod.metadata().uid;
  if (auto known = of_groups_.extract(uid); !known.empty()) {
    known.mapped().place = place;
    return std::move(known.mapped());
  }
  const std::string key = api::claims::PodGroupKeyOf(pod.As<core::Pod>());
  OfflineAnswer own{.what = "pod " + api::ObjectKey(pod.metadata())};
  std::vector<std::string> evicted;
  // Try the members that were left out again, with the others in their places.
  for (bool any_left = true; std::exchange(any_left, false);) {
    const GroupDecision decision = DecideGroupWithRoom(key, evicted);
    if (!decision.why_not.empty() && own.reason.empty()) {
      own.verdict = Verdict::kRefused;
      own.hindrance = Hindrance::kGroup;
      own.reason = decision.why_not;
    }
    bool any_placed = false;
    for (size_t i = 0; i < decision.members.size(); ++i) {
      OfflineAnswer answer = AnswerOf(decision, i);
      const bool fits = answer.verdict == Verdict::kFits;
      any_placed = any_placed || fits;
      any_left = any_left || !fits;
      const std::string& member = decision.members[i].pod.metadata().uid;
      if (member == uid) {
        own = std::move(answer);
      } else {
        of_groups_.insert_or_assign(member, std::move(answer));
      }
    }
    any_left = any_left && any_placed;
  }
  own.place = place;
  own.evicts = std::move(evicted);
  return own;
}

OfflineAnswer OfflineCluster::AnswerOf(const GroupDecision& decision, size_t member) {
  const scheduler::GroupMember& one = decision.members[member];
  const scheduler::GroupOutcome& outcome = decision.outcome;
  OfflineAnswer answer{.what = "pod " + api::ObjectKey(one.pod.metadata()),
                       .note = NoteAbout(one.value())};
  if (auto why = scheduler::WhyNotPlaced(outcome, member)) {
    const bool failed = outcome.kind == scheduler::GroupOutcome::Kind::kFailed;
    answer.verdict = failed ? Verdict::kRefused : Verdict::kDoesNotFit;
    answer.reason = *std::move(why);
    return answer;
  }
  scheduler::Placement placement = *scheduler::PlacementOf(outcome, member);
  for (size_t i = 0; i < one.claims.size(); ++i) {
    const auto chosen = outcome.chosen.find(one.claims[i].metadata().uid);
    if (chosen != outcome.chosen.end()) placement.allocations[i] = chosen->second;
  }
  TakePlace(placement, one.pod, one.claims, answer);
  return answer;
}

void OfflineCluster::DecideInGroup(const core::Pod& pod, OfflineExplanation& answer) {
  const GroupDecision& decision = DecideGroup(api::claims::PodGroupKeyOf(pod));
  if (!decision.why_not.empty()) {
    answer.verdict = Verdict::kRefused;
    answer.hindrance = Hindrance::kGroup;
    answer.reason = decision.why_not;
    return;
  }
  for (const scheduler::PodOnNode& victim : decision.room.victims)
    answer.evicts.push_back(victim.key);
  const auto member = std::ranges::find(
      decision.members, pod.metadata.uid, [](const auto& one) { return one.pod.metadata().uid; });
  if (member == decision.members.end()) return;
  const auto place = static_cast<size_t>(member - decision.members.begin());
  answer.reason = scheduler::WhyNotPlaced(decision.outcome, place).value_or("");
  answer.verdict = answer.reason.empty() ? Verdict::kFits : Verdict::kDoesNotFit;
}

}  // namespace dray::planning::inline cluster
