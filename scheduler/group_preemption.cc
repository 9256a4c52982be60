// SPDX-License-Identifier: Apache-2.0
// Who must go so that the pods of a group have room, anywhere in the cluster (KEP-5710): all that
// are less important are taken away, the group is placed, and then they are given back one by one,
// as long as each of its pods still fits where it was placed.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "scheduler/pod_affinity.h"
#include "scheduler/scheduler.h"
#include "scheduler/victims.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;

constexpr std::string_view kWhat = "pod group preemption: ";
constexpr std::string_view kNothingFreed = "deallocation and deletion of ResourceClaims completed";

bool MayPreempt(const PodGroup& group, const core_v1::Pod& pod) {
  const auto& policy = group.spec.preemption_policy;
  return (policy.has_value() ? policy : pod.spec.preemption_policy) != "Never";
}

/// Whether pods on other nodes may keep one of them from its own.
bool HasRulesAboutOthers(std::span<const GroupMember> members) {
  return std::ranges::any_of(members, [](const GroupMember& member) {
    const core_v1::Pod& pod = member.value();
    return HasPodAffinity(pod) || !pod.spec.topology_spread_constraints.empty();
  });
}

std::vector<std::string> NominatedNodesOf(std::span<const GroupMember> members) {
  std::vector<std::string> nodes;
  nodes.reserve(members.size());
  for (const GroupMember& member : members) {
    nodes.push_back(member.value().status.nominated_node_name);
  }
  return nodes;
}

// Of the first `members`; empty of one without a place.
std::vector<std::string> NodesOf(const GroupOutcome& outcome, size_t members) {
  std::vector<std::string> nodes;
  nodes.reserve(members);
  for (size_t i = 0; i < members; ++i) {
    const Placement* placement = PlacementOf(outcome, i);
    nodes.push_back(placement == nullptr ? std::string() : placement->node);
  }
  return nodes;
}

}  // namespace

/// Whether pods on their way out leave room where members are to go.
bool Scheduler::IsRoomBeingMadeFor(std::span<const GroupMember> members, int32_t priority) const {
  return std::ranges::any_of(members, [&](const GroupMember& member) {
    const std::string& node = member.value().status.nominated_node_name;
    if (node.empty()) return false;
    const std::vector<Victim> victims = VictimsOn(cluster_, node, priority);
    return std::ranges::any_of(victims, [](const Victim& victim) {
      return std::ranges::any_of(
          victim.pods, [](const PodOnNode& pod) { return pod.is_going && !pod.is_elsewhere; });
    });
  });
}

void Scheduler::PreemptForGroup(const api::Object& group,
                                std::span<const GroupMember> members,
                                size_t scheduled,
                                GroupRoom& room) {
  const auto& value = group.As<PodGroup>();
  const int32_t priority = value.spec.priority.value_or(0);
  const auto not_helped = [&](std::string_view why) {
    room.message = fmt::format("{}, {}{}", kNothingFreed, kWhat, why);
  };
  if (!MayPreempt(value, members.front().value())) {
    return not_helped("not eligible due to preemptionPolicy=Never.");
  }
  if (IsRoomBeingMadeFor(members, priority)) {
    room.nominated = NominatedNodesOf(members);
    room.message = fmt::format("{}ongoing preemption on nominated nodes", kWhat);
    return;
  }
  std::vector<Victim> victims = VictimsAnywhere(cluster_, priority);
  if (victims.empty()) {
    room.message = fmt::format("{}No preemption victims found for incoming preemptor", kWhat);
    return;
  }
  NodeUse known = std::exchange(cluster_.use(), cluster_.use().Without(victims));
  const GroupOutcome outcome = TryGroup(value, members, scheduled);
  if (outcome.kind == GroupOutcome::Kind::kScheduled) {
    DisruptionBudgets budgets = cluster_.Budgets();
    const std::vector<size_t> violations = ViolationsBy(victims, budgets);
    std::vector<bool> stays(victims.size());
    for (const bool violates : {true, false}) {
      for (size_t i = 0; i < victims.size(); ++i) {
        if ((violations[i] > 0) == violates) stays[i] = CanComeBack(victims[i], members, outcome);
      }
    }
    for (size_t i = 0; i < victims.size(); ++i) {
      if (!stays[i]) std::ranges::move(victims[i].pods, std::back_inserter(room.victims));
    }
    room.nominated = NodesOf(outcome, members.size());
  }
  cluster_.use() = std::move(known);
  if (outcome.kind != GroupOutcome::Kind::kScheduled) return not_helped(outcome.message);
  room.message = fmt::format(
      "{}found a placement for podgroup, preempting {} victims", kWhat, room.victims.size());
}

/// Puts the pods back on their nodes, if all members still fit on theirs.
bool Scheduler::CanComeBack(const Victim& victim,
                            std::span<const GroupMember> members,
                            const GroupOutcome& outcome) {
  bool concerns = HasRulesAboutOthers(members);
  for (const PodOnNode& pod : victim.pods) {
    const std::string& node = pod.node->metadata.name;
    cluster_.use().SetPod(*pod.pod, node, pod.pod->status.node_allocatable_resource_claim_statuses);
    concerns = concerns || HasPodAffinity(*pod.pod);
    for (size_t i = 0; i < members.size() && !concerns; ++i) {
      const Placement* placement = PlacementOf(outcome, i);
      concerns = placement != nullptr && placement->node == node;
    }
  }
  if (!concerns || StillFits(members, outcome)) return true;
  for (const PodOnNode& pod : victim.pods) cluster_.use().DropPod(pod.uid);
  return false;
}

bool Scheduler::StillFits(std::span<const GroupMember> members, const GroupOutcome& outcome) {
  PlacedSoFar placed(cluster_.taken(), first_node_);
  for (size_t i = 0; i < members.size(); ++i) {
    const Placement* placement = PlacementOf(outcome, i);
    if (placement == nullptr) continue;
    const auto& nodes = cluster_.use().nodes();
    const auto node = std::ranges::find_if(nodes, [&](const NodeState* state) {
      return state->value().metadata.name == placement->node;
    });
    if (node == nodes.end()) return false;
    const Decision decision = SchedulePod(members[i].value(),
                                          placed.AsSeen(members[i].claims),
                                          {.placed = &placed, .only_node = *node, .search = {}});
    const auto* fits = std::get_if<Placement>(&decision);
    if (fits == nullptr) return false;
    placed.Place(members[i], *fits);
  }
  return true;
}

}  // namespace dray::scheduler
