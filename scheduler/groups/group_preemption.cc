// SPDX-License-Identifier: Apache-2.0
#include "scheduler/groups/group_preemption.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/core_v1/pod.h"
#include "scheduler/cluster/cluster_objects.h"
#include "scheduler/cluster/disruption_budgets.h"
#include "scheduler/plugins/pod_affinity.h"
#include "scheduler/preemption/victims.h"

namespace dray::scheduler::inline groups {
namespace {

namespace core_v1 = api::core_v1;

constexpr std::string_view kWhat = "pod group preemption: ";
constexpr std::string_view kNothingFreed = "deallocation and deletion of ResourceClaims completed";

bool MayPreempt(const PodGroup& group, const core_v1::Pod& pod) {
  const auto& policy = group.spec.preemption_policy;
  return (policy.has_value() ? policy : pod.spec.preemption_policy) != "Never";
}

/// Whether a member has rules about pods on other nodes.
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

/// The nodes of the first `members`; an empty name for one without a place.
std::vector<std::string> NodesOf(const GroupOutcome& outcome, size_t members) {
  std::vector<std::string> nodes;
  nodes.reserve(members);
  for (size_t i = 0; i < members; ++i) {
    const Placement* placement = PlacementOf(outcome, i);
    nodes.push_back(placement == nullptr ? std::string() : placement->node);
  }
  return nodes;
}

/// Whether pods that are being deleted leave room where members will go.
bool IsRoomBeingMade(const ClusterCache& cluster,
                     std::span<const GroupMember> members,
                     int32_t priority) {
  return std::ranges::any_of(members, [&](const GroupMember& member) {
    const std::string& node = member.value().status.nominated_node_name;
    if (node.empty()) return false;
    const std::vector<Victim> victims = VictimsOn(cluster, node, priority);
    return std::ranges::any_of(victims, [](const Victim& victim) {
      return std::ranges::any_of(
          victim.pods, [](const PodOnNode& pod) { return pod.is_going && !pod.is_elsewhere; });
    });
  });
}

/// Adds pods back to the cluster as long as the group fits where it was placed.
class GiveBack {
 public:
  GiveBack(ClusterCache& cluster,
           std::span<const GroupMember> members,
           const GroupOutcome& outcome,
           const GroupQuestions& questions)
      : cluster_(cluster), members_(members), outcome_(outcome), questions_(questions) {}

  /// Puts the pods back on their nodes, if all members still fit on theirs.
  bool CanComeBack(const Victim& victim) {
    bool concerns = HasRulesAboutOthers(members_);
    for (const PodOnNode& pod : victim.pods) {
      const std::string& node = pod.node->metadata.name;
      cluster_.use().SetPod(
          *pod.pod, node, pod.pod->status.node_allocatable_resource_claim_statuses);
      concerns = concerns || HasPodAffinity(*pod.pod);
      for (size_t i = 0; i < members_.size() && !concerns; ++i) {
        const Placement* placement = PlacementOf(outcome_, i);
        concerns = placement != nullptr && placement->node == node;
      }
    }
    if (!concerns || StillFits()) return true;
    for (const PodOnNode& pod : victim.pods) cluster_.use().DropPod(pod.uid);
    return false;
  }

 private:
  bool StillFits() {
    PlacedSoFar placed(cluster_.taken(), questions_.first_node);
    for (size_t i = 0; i < members_.size(); ++i) {
      const Placement* placement = PlacementOf(outcome_, i);
      if (placement == nullptr) continue;
      const auto& nodes = cluster_.use().nodes();
      const auto node = std::ranges::find_if(nodes, [&](const NodeState* state) {
        return state->value().metadata.name == placement->node;
      });
      if (node == nodes.end()) return false;
      const Decision decision =
          questions_.decide(members_[i].value(),
                            placed.AsSeen(members_[i].claims),
                            {.placed = &placed, .only_node = *node, .search = {}});
      const auto* fits = std::get_if<Placement>(&decision);
      if (fits == nullptr) return false;
      placed.Place(members_[i], *fits);
    }
    return true;
  }

  ClusterCache& cluster_;
  const std::span<const GroupMember> members_;
  const GroupOutcome& outcome_;
  const GroupQuestions& questions_;
};

/// The victims that cannot be added back once the group is placed.
std::vector<PodOnNode> ThoseWhoMustGo(ClusterCache& cluster,
                                      const std::vector<Victim>& victims,
                                      GiveBack& back) {
  DisruptionBudgets budgets = BudgetsIn(cluster.objects());
  const std::vector<size_t> violations = ViolationsBy(victims, budgets);
  std::vector<bool> stays(victims.size());
  for (const bool violates : {true, false}) {
    for (size_t i = 0; i < victims.size(); ++i) {
      if ((violations[i] > 0) == violates) stays[i] = back.CanComeBack(victims[i]);
    }
  }
  std::vector<PodOnNode> gone;
  for (size_t i = 0; i < victims.size(); ++i) {
    if (!stays[i]) std::ranges::copy(victims[i].pods, std::back_inserter(gone));
  }
  return gone;
}

}  // namespace

GroupPreemption PreemptForGroup(ClusterCache& cluster,
                                const PodGroup& group,
                                std::span<const GroupMember> members,
                                const GroupQuestions& questions) {
  const int32_t priority = group.spec.priority.value_or(0);
  const auto not_helped = [](std::string_view why) {
    return GroupPreemption{.message = fmt::format("{}, {}{}", kNothingFreed, kWhat, why)};
  };
  if (!MayPreempt(group, members.front().value())) {
    return not_helped("not eligible due to preemptionPolicy=Never.");
  }
  if (IsRoomBeingMade(cluster, members, priority)) {
    return {.message = fmt::format("{}ongoing preemption on nominated nodes", kWhat),
            .nominated = NominatedNodesOf(members)};
  }
  const std::vector<Victim> victims = VictimsAnywhere(cluster, priority);
  if (victims.empty()) {
    return {.message = fmt::format("{}No preemption victims found for incoming preemptor", kWhat)};
  }
  NodeUse known = std::exchange(cluster.use(), cluster.use().Without(victims));
  const GroupOutcome outcome = questions.place();
  GroupPreemption result;
  if (outcome.kind == GroupOutcome::Kind::kScheduled) {
    GiveBack back(cluster, members, outcome, questions);
    result.victims = ThoseWhoMustGo(cluster, victims, back);
    result.nominated = NodesOf(outcome, members.size());
    result.message = fmt::format(
        "{}found a placement for podgroup, preempting {} victims", kWhat, result.victims.size());
  }
  cluster.use() = std::move(known);
  if (outcome.kind != GroupOutcome::Kind::kScheduled) return not_helped(outcome.message);
  return result;
}

}  // namespace dray::scheduler::inline groups
