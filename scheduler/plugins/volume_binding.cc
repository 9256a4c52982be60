// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/selectors/node_selector_match.h"
#include "scheduler/plugins/plugin.h"
#include "scheduler/plugins/volumes.h"

namespace dray::scheduler::inline plugins {
namespace {

namespace core_v1 = api::core_v1;

bool HasNodeAffinity(const core_v1::PersistentVolume& volume, const core_v1::Node& node) {
  const auto& affinity = volume.spec.node_affinity;
  if (!affinity || !affinity->required) return true;
  const auto selector = api::NodeSelector::Parse(api::NodeTerms(*affinity->required));
  return selector && selector->Matches(node.metadata.labels, node.metadata.name);
}

std::optional<Rejection> FilterBound(const PodInAttempt& pod, const NodeState& node) {
  if (pod.volumes == nullptr) return std::nullopt;
  const bool has_affinity = std::ranges::all_of(pod.volumes->volumes, [&](const auto* volume) {
    return HasNodeAffinity(*volume, node.value());
  });
  if (!has_affinity) {
    return Rejection{.reasons = {"node(s) didn't match PersistentVolume's node affinity"}};
  }
  if (!pod.volumes->lacks_volume) return std::nullopt;
  return Rejection{
      .reasons = {"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"}};
}

}  // namespace

/// A pod goes where its volumes can be used.
extern const Plugin kVolumeBinding{.name = "VolumeBinding",
                                   .filter = FilterBound,
                                   .retry = ClusterEvent::kVolumes,
                                   .elsewhere = {{{Point::kPreFilter, "plugins/volumes.h"}}},
                                   .missing = "volumes are neither bound nor provided",
                                   .arguments = R"(bindTimeoutSeconds: 600
shape: [{score: 10, utilization: 0}, {score: 0, utilization: 100}])"};

}  // namespace dray::scheduler::inline plugins
