// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/node_filter.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace dray::scheduler::inline plugins {
namespace {

namespace core_v1 = api::core_v1;

constexpr std::string_view kHugePages = "hugepages-";
constexpr std::string_view kCordonTaint = "node.kubernetes.io/unschedulable";

bool Tolerates(const core_v1::Toleration& toleration, const core_v1::Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.operator_ == "Exists") return true;
  const bool equal = toleration.operator_.empty() || toleration.operator_ == "Equal";
  return equal && !toleration.key.empty() && toleration.value == taint.value;
}

/// Adds a reason if there is not so much left.
void CheckAmount(const std::string& name,
                 int64_t request,
                 const NodeState& state,
                 Rejection& rejection) {
  const int64_t allocatable = AmountIn(state.allocatable, name);
  if (request <= allocatable - AmountIn(state.requested, name)) return;
  rejection.reasons.push_back("Insufficient " + name);
  if (request > allocatable) rejection.unresolvable = true;
}

/// A node of which nothing is known has room for pods, but nothing that nodes do not have by
/// nature.
bool MayBeThere(std::string_view resource, const NodeState& state) {
  return state.allocatable.empty() && resource.find('/') == std::string_view::npos;
}

std::optional<Rejection> FilterResources(const PodNeeds& needs, const NodeState& state) {
  Rejection rejection{.reasons = {}, .unresolvable = false};
  if (!state.allocatable.empty() && state.pods + 1 > AmountIn(state.allocatable, "pods"))
    rejection.reasons.emplace_back("Too many pods");
  for (const auto& [name, request] : needs.requests) {
    if (request == 0 || MayBeThere(name, state)) continue;
    if (AmountIn(state.allocatable, name) == 0 && needs.of_classes.contains(name)) continue;
    CheckAmount(name, request, state, rejection);
  }
  if (rejection.reasons.empty()) return std::nullopt;
  rejection.unresolvable = rejection.unresolvable && needs.tells_too_much;
  return rejection;
}

/// What the pod asks for as a whole must cover its containers and what devices take.
std::optional<Rejection> FilterPodLevel(
    const core_v1::Pod& pod, std::span<const core_v1::NodeAllocatableResourceClaimStatus> taken) {
  if (!pod.spec.resources) return std::nullopt;
  const Amounts needed = RequestsOfContainers(pod, taken);
  for (const auto& [name, quantity] : pod.spec.resources->requests) {
    const bool counts = name == "cpu" || name == "memory" || name.starts_with(kHugePages);
    if (!counts || AmountIn(needed, name) <= AmountOf(name, quantity)) continue;
    return Rejection{
        .reasons = {fmt::format("pod level request for {} is insufficient to cover the aggregated "
                                "container and node-allocatable DRA requests",
                                name)}};
  }
  return std::nullopt;
}

bool AreAtOdds(const HostPort& wanted, const HostPort& taken) {
  constexpr std::string_view kAll = "0.0.0.0";
  return wanted.port == taken.port && wanted.protocol == taken.protocol &&
         (wanted.ip == taken.ip || wanted.ip == kAll || taken.ip == kAll);
}

bool HasFreePorts(const PodNeeds& needs, const NodeState& state) {
  return std::ranges::none_of(needs.ports, [&](const HostPort& wanted) {
    return std::ranges::any_of(state.ports,
                               [&](const auto& taken) { return AreAtOdds(wanted, taken.first); });
  });
}

}  // namespace

bool ToleratesAny(const core_v1::Pod& pod, const core_v1::Taint& taint) {
  return std::ranges::any_of(pod.spec.tolerations, [&](const core_v1::Toleration& toleration) {
    return Tolerates(toleration, taint);
  });
}

bool HasForbiddingTaint(const core_v1::Pod& pod, const core_v1::Node& node) {
  return std::ranges::any_of(node.spec.taints, [&](const core_v1::Taint& taint) {
    const bool forbids = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    return forbids && !ToleratesAny(pod, taint);
  });
}

bool MatchesAffinity(const PodNeeds& needs, const core_v1::Node& node) {
  for (const auto& [label, value] : needs.pod->spec.node_selector) {
    const auto found = node.metadata.labels.find(label);
    if (found == node.metadata.labels.end() || found->second != value) return false;
  }
  if (!needs.affinity) return true;
  // A mistake in a term matches nothing, as upstream's filter has it.
  return needs.affinity->Match(node.metadata.labels, node.metadata.name).value_or(false);
}

std::optional<Rejection> FilterTaken(
    const core_v1::Pod& pod,
    std::span<const core_v1::NodeAllocatableResourceClaimStatus> taken,
    const NodeState& state) {
  if (taken.empty()) return std::nullopt;
  if (std::optional<Rejection> rejection = FilterPodLevel(pod, taken)) return rejection;
  if (state.allocatable.empty()) return std::nullopt;
  Rejection rejection{.reasons = {}, .unresolvable = false};
  for (const auto& [name, request] : RequestsOf(pod, taken)) {
    const bool is_native = name == "cpu" || name == "memory" || name == "ephemeral-storage";
    if (!is_native && !name.starts_with(kHugePages)) continue;
    if (request > 0) CheckAmount(name, request, state, rejection);
  }
  if (rejection.reasons.empty()) return std::nullopt;
  return rejection;
}

namespace {

/// Each part of what the pod says is looked for among the labels, taints, ports or amounts of the
/// node.
uint64_t WorkPerNode(const PodNeeds& needs) {
  constexpr uint64_t kPerPart = 16;
  const core_v1::PodSpec& spec = needs.pod->spec;
  uint64_t parts = 8 + spec.node_selector.size() + spec.tolerations.size() + needs.requests.size() +
                   needs.ports.size();
  if (spec.affinity && spec.affinity->node_affinity) {
    const core_v1::NodeAffinity& said = *spec.affinity->node_affinity;
    const auto count = [&](const core_v1::NodeSelectorTerm& term) {
      for (const auto* requirements : {&term.match_expressions, &term.match_fields}) {
        for (const auto& one : *requirements) parts += 1 + one.values.size() / 4;
      }
    };
    if (said.required_during_scheduling_ignored_during_execution) {
      std::ranges::for_each(
          said.required_during_scheduling_ignored_during_execution->node_selector_terms, count);
    }
    for (const auto& wish : said.preferred_during_scheduling_ignored_during_execution) {
      count(wish.preference);
    }
  }
  return kPerPart * parts;
}

}  // namespace

PodNeeds NeedsOf(const core_v1::Pod& pod) {
  PodNeeds needs{.pod = &pod,
                 .requests = RequestsOf(pod),
                 .presumed = PresumedOf(pod),
                 .ports = HostPortsOf(pod),
                 .affinity = std::nullopt};
  const auto& affinity = pod.spec.affinity;
  if (affinity && affinity->node_affinity &&
      affinity->node_affinity->required_during_scheduling_ignored_during_execution) {
    needs.affinity = api::NodeSelector::ParseLazily(api::NodeTerms(
        *affinity->node_affinity->required_during_scheduling_ignored_during_execution));
  }
  needs.work_per_node = WorkPerNode(needs);
  return needs;
}

std::set<std::string, std::less<>> ServedByDevices(const PodNeeds& needs, const NodeState& state) {
  std::set<std::string, std::less<>> served;
  for (const std::string& resource : needs.of_classes) {
    const auto own = state.allocatable.find(resource);
    if (own == state.allocatable.end() || own->second == 0) served.insert(resource);
  }
  return served;
}

std::optional<Rejection> FilterNode(const PodNeeds& needs, const NodeState& state) {
  const core_v1::Pod& pod = *needs.pod;
  const core_v1::Node& node = state.value();
  static const core_v1::Taint kCordon{.key = std::string(kCordonTaint), .effect = "NoSchedule"};
  if (node.spec.unschedulable && !ToleratesAny(pod, kCordon)) {
    return Rejection{.reasons = {"node(s) were unschedulable"}};
  }
  if (!pod.spec.node_name.empty() && pod.spec.node_name != node.metadata.name) {
    return Rejection{.reasons = {"node(s) didn't match the requested node name"}};
  }
  if (HasForbiddingTaint(pod, node)) {
    return Rejection{.reasons = {"node(s) had untolerated taint(s)"}};
  }
  if (!MatchesAffinity(needs, node)) {
    return Rejection{.reasons = {"node(s) didn't match Pod's node affinity/selector"}};
  }
  if (!HasFreePorts(needs, state)) {
    return Rejection{.reasons = {"node(s) didn't have free ports for the requested pod ports"},
                     .unresolvable = false};
  }
  return FilterResources(needs, state);
}

}  // namespace dray::scheduler::inline plugins
