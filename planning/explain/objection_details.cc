// SPDX-License-Identifier: Apache-2.0
#include "planning/explain/objection_details.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/value/quantity.h"
#include "planning/explain/rule_details.h"
#include "planning/objects/spelled_amount.h"
#include "scheduler/plugins/taint_toleration.h"

namespace dray::planning::inline explain {
namespace {

namespace core = api::core_v1;
using scheduler::NodeState;
using Nodes = std::vector<const NodeState*>;

constexpr size_t kPartsMax = 5;  // taints or requirements to name

/// Spells an amount as the scheduler counts it: cpu in thousandths, memory and storage in bytes.
/// Writes 50G, not 48828125Ki, because users most likely wrote the shorter one.
std::string AmountText(const std::string& resource, int64_t amount) {
  if (resource == "cpu") return api::Quantity::FromMilli(amount).ToString();
  const bool is_bytes =
      resource == "memory" || resource.contains("storage") || resource.starts_with("hugepages-");
  if (!is_bytes) return std::to_string(amount);
  const api::Quantity binary = api::Quantity::FromInt(1, api::QuantityFormat::kBinarySi);
  const api::Quantity decimal = api::Quantity::FromInt(1, api::QuantityFormat::kDecimalSi);
  return SpelledAs({&binary, &decimal}, api::Quantity::FromInt(amount)).ToString();
}

std::string Joined(std::vector<std::string> parts) {
  const size_t all = parts.size();
  if (all > kPartsMax) parts.resize(kPartsMax);
  std::string text = fmt::format("{}", fmt::join(parts, ", "));
  if (all > kPartsMax) text += fmt::format(" and {} more", all - kPartsMax);
  return text;
}

std::string RequirementText(const core::NodeSelectorRequirement& requirement) {
  if (requirement.values.empty())
    return fmt::format("{} {}", requirement.key, requirement.operator_);
  return fmt::format("{} {} [{}]",
                     requirement.key,
                     requirement.operator_,
                     Joined({requirement.values.begin(), requirement.values.end()}));
}

std::string Taints(const core::Pod& pod, const Nodes& nodes) {
  std::set<std::string> taints;
  for (const NodeState* const node : nodes) {
    for (const core::Taint& taint : node->value().spec.taints) {
      if (taint.effect == "PreferNoSchedule" || scheduler::IsTolerated(taint, pod.spec.tolerations))
        continue;
      taints.insert(fmt::format(
          "{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value, taint.effect));
    }
  }
  if (taints.empty()) return {};
  return fmt::format("the pod does not tolerate {}", Joined({taints.begin(), taints.end()}));
}

std::string Selection(const core::Pod& pod) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : pod.spec.node_selector)
    parts.push_back(fmt::format("{}={}", key, value));
  const auto& affinity = pod.spec.affinity;
  if (affinity.has_value() && affinity->node_affinity.has_value()) {
    const auto& required =
        affinity->node_affinity->required_during_scheduling_ignored_during_execution;
    if (required.has_value()) {
      for (const core::NodeSelectorTerm& term : required->node_selector_terms) {
        for (const auto& one : term.match_expressions) parts.push_back(RequirementText(one));
        for (const auto& one : term.match_fields) parts.push_back(RequirementText(one));
      }
    }
  }
  return parts.empty() ? "" : fmt::format("the pod wants nodes with {}", Joined(parts));
}

std::string Shortage(const core::Pod& pod, const std::string& resource, const Nodes& nodes) {
  const NodeState* best = nullptr;
  const auto left = [&](const NodeState& node) {
    return scheduler::AmountIn(node.allocatable, resource) -
           scheduler::AmountIn(node.requested, resource);
  };
  for (const NodeState* const node : nodes) {
    if (best == nullptr || left(*node) > left(*best)) best = node;
  }
  if (best == nullptr) return {};
  const int64_t wanted = scheduler::AmountIn(scheduler::RequestsOf(pod), resource);
  const int64_t there = std::max<int64_t>(left(*best), 0);
  if (wanted <= there) return {};
  return fmt::format("{} of {} is wanted; {} has most left, {} of {}: short by {}",
                     AmountText(resource, wanted),
                     resource,
                     best->value().metadata.name,
                     AmountText(resource, there),
                     AmountText(resource, scheduler::AmountIn(best->allocatable, resource)),
                     AmountText(resource, wanted - there));
}

std::string DetailOf(const core::Pod& pod, std::string_view reason, const Nodes& nodes) {
  constexpr std::string_view kInsufficient = "Insufficient ";
  if (reason.contains("untolerated taint")) return Taints(pod, nodes);
  if (reason.contains("node affinity/selector")) return Selection(pod);
  if (!reason.starts_with(kInsufficient)) return RuleDetail(pod, reason);
  return Shortage(pod, std::string(reason.substr(kInsufficient.size())), nodes);
}

/// Details for each part of the scheduler's objection to the nodes.
std::string DetailsOf(const core::Pod& pod, std::string_view objection, const Nodes& nodes) {
  constexpr std::string_view kBetween = ", ";
  std::vector<std::string> details;
  for (size_t from = 0; from < objection.size();) {
    const size_t end = std::min(objection.find(kBetween, from), objection.size());
    std::string detail = DetailOf(pod, objection.substr(from, end - from), nodes);
    if (!detail.empty()) details.push_back(std::move(detail));
    from = end + kBetween.size();
  }
  return fmt::format("{}", fmt::join(details, "; "));
}

}  // namespace

void AddObjectionDetails(const core::Pod& pod,
                         std::span<const NodeState* const> nodes,
                         Explanation& explanation) {
  std::map<std::string_view, const NodeState*> by_name;
  for (const NodeState* const node : nodes) by_name.emplace(node->value().metadata.name, node);
  for (NodeGroup& group : explanation.groups) {
    if (group.trouble != Trouble::kObjection) continue;
    Nodes of_group;
    for (const std::string& name : group.nodes) {
      const auto node = by_name.find(name);
      if (node != by_name.end()) of_group.push_back(node->second);
    }
    group.detail = DetailsOf(pod, group.objection, of_group);
  }
}

}  // namespace dray::planning::inline explain
