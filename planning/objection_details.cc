// SPDX-License-Identifier: Apache-2.0
#include "planning/objection_details.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "api/value/quantity.h"

namespace dray::planning {
namespace {

namespace core = api::core_v1;
using scheduler::NodeState;

constexpr size_t kPartsMax = 5;  // taints or requirements that are named

/// An amount as the scheduler counts it: cpu in thousandths, memory and storage in bytes.
std::string AmountText(const std::string& resource, int64_t amount) {
  if (resource == "cpu") return api::Quantity::FromMilli(amount).ToString();
  const bool is_bytes =
      resource == "memory" || resource.contains("storage") || resource.starts_with("hugepages-");
  if (!is_bytes) return std::to_string(amount);
  return api::Quantity::FromInt(amount, api::QuantityFormat::kBinarySi).ToString();
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

}  // namespace

ObjectionDetails::ObjectionDetails(const OfflineObjects& objects) {
  for (const auto& [name, object] : objects.nodes) {
    nodes_.emplace(name,
                   NodeState{.node = object,
                             .allocatable = scheduler::AllocatableOf(object.As<core::Node>()),
                             .requested = {}});
  }
  for (const PlacedObject& placed : objects.pods) {
    const auto& pod = placed.object.As<core::Pod>();
    pods_.emplace(api::ObjectKey(pod.metadata), placed.object);
    const auto node = nodes_.find(pod.spec.node_name);
    const bool has_ended = pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
    if (node == nodes_.end() || has_ended) continue;
    for (const auto& [resource, amount] : scheduler::RequestsOf(pod))
      node->second.requested[resource] += amount;
  }
}

void ObjectionDetails::Mark(const std::string& what, Explanation& explanation) const {
  constexpr std::string_view kPod = "pod ";
  if (!what.starts_with(kPod)) return;
  const auto pod = pods_.find(std::string_view(what).substr(kPod.size()));
  if (pod == pods_.end()) return;
  for (NodeGroup& group : explanation.groups) {
    if (group.trouble != Trouble::kObjection) continue;
    Nodes nodes;
    for (const std::string& name : group.nodes) {
      const auto node = nodes_.find(name);
      if (node != nodes_.end()) nodes.push_back(&node->second);
    }
    std::vector<std::string> details;
    for (size_t from = 0; from < group.objection.size();) {
      const size_t end = std::min(group.objection.find(", ", from), group.objection.size());
      std::string detail = DetailOf(pod->second.As<core::Pod>(),
                                    std::string_view(group.objection).substr(from, end - from),
                                    nodes);
      if (!detail.empty()) details.push_back(std::move(detail));
      from = end + 2;
    }
    group.detail = fmt::format("{}", fmt::join(details, "; "));
  }
}

std::string ObjectionDetails::DetailOf(const core::Pod& pod,
                                       std::string_view reason,
                                       const Nodes& nodes) const {
  constexpr std::string_view kInsufficient = "Insufficient ";
  if (reason.contains("untolerated taint")) return Taints(pod, nodes);
  if (reason.contains("node affinity/selector")) return Selection(pod);
  if (!reason.starts_with(kInsufficient)) return {};
  return Shortage(pod, std::string(reason.substr(kInsufficient.size())), nodes);
}

std::string ObjectionDetails::Taints(const core::Pod& pod, const Nodes& nodes) {
  std::set<std::string> taints;
  for (const NodeState* const node : nodes) {
    for (const core::Taint& taint : node->value().spec.taints) {
      if (taint.effect == "PreferNoSchedule" || scheduler::ToleratesAny(pod, taint)) continue;
      taints.insert(fmt::format(
          "{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value, taint.effect));
    }
  }
  if (taints.empty()) return {};
  return fmt::format("the pod does not tolerate {}", Joined({taints.begin(), taints.end()}));
}

std::string ObjectionDetails::Selection(const core::Pod& pod) {
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

std::string ObjectionDetails::Shortage(const core::Pod& pod,
                                       const std::string& resource,
                                       const Nodes& nodes) {
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

}  // namespace dray::planning
