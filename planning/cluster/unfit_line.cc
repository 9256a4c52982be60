// SPDX-License-Identifier: Apache-2.0
#include "planning/cluster/unfit_line.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "planning/cluster/offline_cluster.h"
#include "planning/explain/explanation.h"
#include "planning/objects/offline_objects.h"

namespace dray::planning::inline cluster {
namespace {

/// For one search; an explanation takes some dozens.
constexpr int64_t kStepsMax = 2'000;

/// A copy of the pod without its rules about other pods and its volumes, because those objects are
/// not in the input and the line is about devices.
api::Object AboutDevices(const api::Object& pod) {
  api::Object copy = pod.Clone();
  auto& spec = copy.Mutable<api::core_v1::Pod>().spec;
  if (spec.affinity.has_value()) {
    spec.affinity->pod_affinity.reset();
    spec.affinity->pod_anti_affinity.reset();
  }
  spec.topology_spread_constraints.clear();
  spec.volumes.clear();
  return copy;
}

OfflineObjects ObjectsOf(const scheduler::UnfitPod& unfit) {
  OfflineObjects objects{.slices = unfit.slices, .classes = unfit.classes};
  const auto add_claim = [&](const api::Object& claim) {
    const std::string key = api::ObjectKey(claim.metadata());
    if (objects.claims.emplace(key, PlacedObject{claim, {}}).second)
      objects.claim_order.push_back(key);
  };
  std::ranges::for_each(unfit.claims, add_claim);
  std::ranges::for_each(unfit.holders, add_claim);
  objects.pods.push_back({AboutDevices(unfit.pod), {}});
  for (const scheduler::NodeState& node : unfit.nodes)
    objects.nodes.emplace(node.value().metadata.name, node.node);
  objects.has_nodes = true;
  return objects;
}

bool IsAboutDevices(const NodeGroup& group) {
  return group.trouble != Trouble::kNone && group.trouble != Trouble::kUndecided &&
         group.trouble != Trouble::kObjection;
}

}  // namespace

std::string LineAbout(World& world, const scheduler::UnfitPod& unfit) {
  OfflineCluster cluster(world,
                         ObjectsOf(unfit),
                         {.features = unfit.features,
                          .budget = {.steps_max = kStepsMax, .cancelled = unfit.cancelled},
                          .selectors = unfit.selectors,
                          .detail = Detail::kLine});
  for (const scheduler::NodeState& node : unfit.nodes) cluster.SetUse(node);
  const auto answer = cluster.Explain("pod " + api::ObjectKey(unfit.pod.metadata()));
  if (!answer.has_value() || answer->explanation.fits()) return {};
  if (!std::ranges::any_of(answer->explanation.groups, IsAboutDevices)) return {};
  const std::string line = OneLine(answer->explanation);
  return unfit.is_sample ? fmt::format("of {} nodes looked at: {}", unfit.nodes.size(), line)
                         : line;
}

}  // namespace dray::planning::inline cluster
