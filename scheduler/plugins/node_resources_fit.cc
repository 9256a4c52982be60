// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/node_resources_fit.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "scheduler/plugins/plugin.h"

namespace dray::scheduler::inline plugins {
namespace {

namespace core_v1 = api::core_v1;

constexpr std::string_view kHugePages = "hugepages-";

/// Adds a reason if less than the request is left.
void CheckAmount(const std::string& name,
                 int64_t request,
                 const NodeState& state,
                 Rejection& rejection) {
  const int64_t allocatable = AmountIn(state.allocatable, name);
  if (request <= allocatable - AmountIn(state.requested, name)) return;
  rejection.reasons.push_back("Insufficient " + name);
  if (request > allocatable) rejection.unresolvable = true;
}

/// Whether the node may have the resource. A node without known resources has room for pods, but no
/// extended resources.
bool MayBeThere(std::string_view resource, const NodeState& state) {
  return state.allocatable.empty() && resource.find('/') == std::string_view::npos;
}

std::optional<Rejection> FilterResources(const NodeNeeds& needs, const NodeState& state) {
  Rejection rejection{.reasons = {}, .unresolvable = false};
  if (!state.allocatable.empty() && state.pods + 1 > AmountIn(state.allocatable, "pods"))
    rejection.reasons.emplace_back("Too many pods");
  for (const auto& [name, request] : needs.requests) {
    if (request == 0 || MayBeThere(name, state)) continue;
    if (AmountIn(state.allocatable, name) == 0 && needs.of_classes.contains(name)) continue;
    CheckAmount(name, request, state, rejection);
  }
  if (rejection.reasons.empty()) return std::nullopt;
  rejection.unresolvable = rejection.unresolvable && needs.too_much_is_unresolvable;
  return rejection;
}

/// Checks that pod-level requests cover the containers and the resources that devices take.
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

/// Requested and allocatable amounts of CPU and of memory.
struct RequestedShare {
  int64_t requested;
  int64_t allocatable;
};

int64_t LeftPart(const RequestedShare& share) {
  if (share.requested > share.allocatable) return 0;
  return (share.allocatable - share.requested) * kScoreMax / share.allocatable;
}

int64_t LeastAllocated(const RequestedShare& cpu, const RequestedShare& memory) {
  int64_t sum = 0;
  int64_t parts = 0;
  for (const RequestedShare* share : {&cpu, &memory}) {
    if (share->allocatable == 0) continue;
    sum += LeftPart(*share);
    ++parts;
  }
  return parts == 0 ? 0 : sum / parts;
}

/// Scores how much is left on the node with the pod on it.
int64_t ScoreLeast(const NodeNeeds& needs, const NodeState& node) {
  const Presumed& wants = needs.presumed;
  return LeastAllocated({.requested = node.presumed.cpu + wants.cpu,
                         .allocatable = AmountIn(node.allocatable, "cpu")},
                        {.requested = node.presumed.memory + wants.memory,
                         .allocatable = AmountIn(node.allocatable, "memory")});
}

}  // namespace

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

/// Requires room for the pod's requests, and prefers nodes where more is left. A node without
/// allocatable resources in its status has no limits.
extern const Plugin kNodeResourcesFit{
    .name = "NodeResourcesFit",
    .filter_node = FilterResources,
    .weight = 1,
    .score_node = ScoreLeast,
    .elsewhere = {{{Point::kPlacementScore, "groups/group_topology.h"}}},
    .arguments = R"(ignoredResources: []
ignoredResourceGroups: []
scoringStrategy:
  type: LeastAllocated
  resources: [{name: cpu, weight: 1}, {name: memory, weight: 1}])"};

}  // namespace dray::scheduler::inline plugins
