// SPDX-License-Identifier: Apache-2.0
#include "scheduler/groups/group_topology.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "base/try.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/groups/gang_search.h"
#include "scheduler/plugins/scores.h"

namespace dray::scheduler::inline groups {
namespace {

/// The label value that all scheduled members share.
Result<std::string> ValueOf(std::string_view key, std::span<const ScheduledMember> scheduled) {
  const auto refuse = [](const std::string& why) {
    return Fail(StatusReason::kInternalError,
                "cannot determine domain for already scheduled pods: " + why);
  };
  std::string value;
  for (const ScheduledMember& member : scheduled) {
    if (member.node == nullptr) {
      return refuse(fmt::format("getting node for pod {}: nodeinfo not found for node name {}",
                                member.key,
                                api::GoQuote(member.node_name)));
    }
    const auto& labels = member.node->metadata.labels;
    const auto label = labels.find(std::string(key));
    if (label == labels.end()) {
      return refuse("no topology domain found for pod " + member.key);
    }
    if (!value.empty() && value != label->second) {
      return refuse(
          fmt::format("more than 1 domain found for pod group: {}, {}", value, label->second));
    }
    value = label->second;
  }
  return value;
}

/// The used and total amount of a resource on nodes.
struct UsedShare {
  int64_t used = 0;
  int64_t allocatable = 0;

  void Add(const NodeState& node, std::string_view resource, int64_t used_there) {
    const auto found = node.allocatable.find(resource);
    if (found == node.allocatable.end() || found->second == 0) return;
    allocatable += found->second;
    used += used_there;
  }
};

/// The use of the nodes once the members are placed, 0 to 100 (MostAllocated).
int64_t FullnessOf(const Domain& domain,
                   std::span<const GroupMember> members,
                   const GroupOutcome& outcome) {
  UsedShare cpu, memory;
  for (size_t i = 0; i < members.size(); ++i) {
    if (PlacementOf(outcome, i) == nullptr) continue;
    const Presumed wants = PresumedOf(members[i].value());
    cpu.used += wants.cpu;
    memory.used += wants.memory;
  }
  for (const NodeState* node : domain.nodes) {
    cpu.Add(*node, "cpu", node->presumed.cpu);
    memory.Add(*node, "memory", node->presumed.memory);
  }
  int64_t sum = 0;
  int64_t parts = 0;
  for (const UsedShare& share : {cpu, memory}) {
    if (share.allocatable == 0) continue;
    sum += std::min(share.used, share.allocatable) * kScoreMax / share.allocatable;
    ++parts;
  }
  return parts == 0 ? 0 : sum / parts;
}

/// A domain that fits.
struct Choice {
  GroupOutcome outcome;
  int64_t fullness = 0;
  int64_t pods = 0;  // of the group in this domain
};

/// The choice with the highest sum of upstream's two scores.
GroupOutcome BestOf(std::vector<Choice> choices) {
  const int64_t most = std::ranges::max_element(choices, {}, &Choice::pods)->pods;
  const auto best = std::ranges::max_element(choices, {}, [&](const Choice& choice) {
    return choice.fullness + (choice.pods * kScoreMax / std::max(most, int64_t{1}));
  });
  return std::move(best->outcome);
}

Choice ChoiceOf(const Domain& domain,
                std::span<const GroupMember> members,
                size_t scheduled,
                GroupOutcome outcome) {
  Choice choice{.fullness = FullnessOf(domain, members, outcome),
                .pods = static_cast<int64_t>(scheduled)};
  for (size_t i = 0; i < members.size(); ++i) {
    if (PlacementOf(outcome, i) != nullptr) ++choice.pods;
  }
  choice.outcome = std::move(outcome);
  return choice;
}

/// The outcome if no domain fits; `first` is that of the first domain.
GroupOutcome NoneOf(size_t domains, GroupOutcome first) {
  const bool is_usual = first.message.starts_with(kGroupUnschedulable);
  first.message = fmt::format("{}, 0/{} placements are available, first placement status: {}",
                              kGroupUnschedulable,
                              domains,
                              is_usual ? kGroupUnschedulable : std::string_view(first.message));
  first.of_unasked = first.message;
  return first;
}

}  // namespace

std::string_view TopologyKeyOf(const PodGroup& group) {
  const auto& constraints = group.spec.scheduling_constraints;
  if (!constraints.has_value() || constraints->topology.empty()) return {};
  return constraints->topology.front().key;
}

Result<std::vector<Domain>> DomainsOf(std::string_view key,
                                      std::span<const NodeState* const> nodes,
                                      std::span<const ScheduledMember> scheduled) {
  DRAY_TRY(const std::string required, ValueOf(key, scheduled));
  std::map<std::string, std::vector<const NodeState*>, std::less<>> by_value;
  for (const NodeState* node : nodes) {
    const auto& labels = node->value().metadata.labels;
    const auto label = labels.find(std::string(key));
    if (label == labels.end()) continue;
    if (scheduled.empty() || label->second == required) by_value[label->second].push_back(node);
  }
  std::vector<Domain> domains;
  domains.reserve(by_value.size());
  for (auto& [value, members] : by_value) {
    domains.push_back({.value = value, .nodes = std::move(members)});
  }
  return domains;
}

GroupOutcome PlaceInOneDomain(std::span<const Domain> domains,
                              std::span<const GroupMember> members,
                              size_t scheduled,
                              const TryDomain& try_domain) {
  std::optional<GroupOutcome> first;
  if (domains.empty()) {
    first.emplace().decisions.resize(members.size());
    first->message = first->of_unasked = "no feasible placements found";
    return *std::move(first);
  }
  const size_t together = std::max(size_t{1}, kGangQuestionsMax / domains.size());
  for (const size_t questions_max : {size_t{0}, together}) {
    std::vector<Choice> choices;
    for (const Domain& domain : domains) {
      GroupOutcome outcome = try_domain(domain, questions_max);
      if (outcome.kind == GroupOutcome::Kind::kFailed) return outcome;
      if (outcome.kind == GroupOutcome::Kind::kScheduled) {
        choices.push_back(ChoiceOf(domain, members, scheduled, std::move(outcome)));
      } else if (!first.has_value()) {
        first = std::move(outcome);
      }
    }
    if (!choices.empty()) return BestOf(std::move(choices));
  }
  return NoneOf(domains.size(), *std::move(first));
}

}  // namespace dray::scheduler::inline groups
