// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/table.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dray::scheduler::inline plugins {

// Each is defined in the file of the same name.
extern const Plugin kSchedulingGates;
extern const Plugin kNodeName;
extern const Plugin kNodeUnschedulable;
extern const Plugin kTaintToleration;
extern const Plugin kNodeAffinity;
extern const Plugin kNodePorts;
extern const Plugin kNodeResourcesFit;
extern const Plugin kVolumeRestrictions;
extern const Plugin kVolumeBinding;
extern const Plugin kVolumeZone;
extern const Plugin kPodTopologySpread;
extern const Plugin kInterPodAffinity;
extern const Plugin kDynamicResources;
extern const Plugin kNodeResourcesBalancedAllocation;

namespace {

// Plugins whose work is done by other parts of the scheduler, or not at all.
constexpr Plugin kPrioritySort{.name = "PrioritySort",
                               .elsewhere = {{{Point::kQueueSort, "queue/fair_order.h"}}}};
constexpr Plugin kNodeVolumeLimits{
    .name = "NodeVolumeLimits",
    .missing = "how many volumes of a CSI driver a node may attach is not looked at"};
constexpr Plugin kDefaultPreemption{
    .name = "DefaultPreemption",
    .elsewhere = {{{Point::kPostFilter, "cycle/default_preemption.h"},
                   {Point::kPodGroupPostFilter, "groups/group_preemption.h"}}},
    .arguments = R"(minCandidateNodesAbsolute: 100
minCandidateNodesPercentage: 10)"};
constexpr Plugin kImageLocality{.name = "ImageLocality",
                                .weight = 1,
                                .missing = "nodes that have a pod's images get no points",
                                .may_be_disabled = true};
constexpr Plugin kDefaultBinder{.name = "DefaultBinder",
                                .elsewhere = {{{Point::kBind, "bind/bind.h"}}}};
constexpr Plugin kNodeDeclaredFeatures{
    .name = "NodeDeclaredFeatures",
    .missing = "features that a pod needs are not looked for among those that nodes declare"};
constexpr Plugin kGangScheduling{.name = "GangScheduling",
                                 .elsewhere = {{{Point::kPreEnqueue, "groups/pending_pods.h"},
                                                {Point::kPermit, "group_scheduler.h"}}}};
constexpr Plugin kTopologyPlacementGenerator{
    .name = "TopologyPlacementGenerator",
    .elsewhere = {{{Point::kPlacementGenerate, "groups/group_topology.h"}}}};
constexpr Plugin kPodGroupPodsCount{
    .name = "PodGroupPodsCount",
    .weight = 1,
    .elsewhere = {{{Point::kPlacementScore, "groups/group_topology.h"}}}};
constexpr Plugin kDeferredPodScheduling{
    .name = "DeferredPodScheduling", .missing = "it cannot be enabled", .is_default = false};

// Source: kube-scheduler --write-config-to, and its names of plugins.
const Plugin* const kTable[] = {
    &kSchedulingGates,
    &kPrioritySort,
    &kNodeName,
    &kNodeUnschedulable,
    &kTaintToleration,
    &kNodeAffinity,
    &kNodePorts,
    &kNodeResourcesFit,
    &kVolumeRestrictions,
    &kNodeVolumeLimits,
    &kVolumeBinding,
    &kVolumeZone,
    &kPodTopologySpread,
    &kInterPodAffinity,
    &kDynamicResources,
    &kDefaultPreemption,
    &kNodeResourcesBalancedAllocation,
    &kImageLocality,
    &kDefaultBinder,
    &kNodeDeclaredFeatures,
    &kGangScheduling,
    &kTopologyPlacementGenerator,
    &kPodGroupPodsCount,
    &kDeferredPodScheduling,
};

/// The plugins that have a function, in their order.
template <class Function>
std::vector<const Plugin*> ThoseWith(Function Plugin::* function) {
  std::vector<const Plugin*> those;
  std::ranges::copy_if(kTable, std::back_inserter(those), [&](const Plugin* plugin) {
    return plugin->*function != nullptr;
  });
  return those;
}

}  // namespace

std::span<const Plugin* const> AllPlugins() {
  return kTable;
}

const Plugin* FindPlugin(std::string_view name) {
  const auto* const found = std::ranges::find(kTable, name, &Plugin::name);
  return found == std::end(kTable) ? nullptr : *found;
}

bool MayEnqueue(const api::core_v1::Pod& pod) {
  static const std::vector<const Plugin*> kAsked = ThoseWith(&Plugin::pre_enqueue);
  return std::ranges::all_of(kAsked,
                             [&](const Plugin* plugin) { return plugin->pre_enqueue(pod); });
}

std::optional<Obstacle> FilterNode(const NodeNeeds& needs, const NodeState& node) {
  static const std::vector<const Plugin*> kAsked = ThoseWith(&Plugin::filter_node);
  for (const Plugin* plugin : kAsked) {
    if (std::optional<Rejection> rejection = plugin->filter_node(needs, node)) {
      return Obstacle{.rejection = *std::move(rejection), .event = plugin->retry};
    }
  }
  return std::nullopt;
}

std::optional<Obstacle> FilterFurther(const PodInAttempt& pod, const NodeState& node) {
  static const std::vector<const Plugin*> kAsked = ThoseWith(&Plugin::filter);
  for (const Plugin* plugin : kAsked) {
    if (std::optional<Rejection> rejection = plugin->filter(pod, node)) {
      return Obstacle{.rejection = *std::move(rejection), .event = plugin->retry};
    }
  }
  return std::nullopt;
}

std::optional<Obstacle> Filter(const PodInAttempt& pod, const NodeState& node) {
  if (std::optional<Obstacle> obstacle = FilterNode(*pod.needs, node)) return obstacle;
  return FilterFurther(pod, node);
}

int64_t NodeScore(const NodeNeeds& needs, const NodeState& node) {
  static const std::vector<const Plugin*> kAsked = ThoseWith(&Plugin::score_node);
  int64_t sum = 0;
  for (const Plugin* plugin : kAsked) sum += plugin->weight * plugin->score_node(needs, node);
  return sum;
}

int64_t FurtherScore(const PodInAttempt& pod, const NodeState& node) {
  static const std::vector<const Plugin*> kAsked = ThoseWith(&Plugin::own_score);
  int64_t sum = 0;
  for (const Plugin* plugin : kAsked) sum += plugin->weight * plugin->own_score(pod, node);
  return sum;
}

ComparedScores::ComparedScores(const PodInAttempt& pod) : pod_(pod) {
  static const std::vector<const Plugin*> kAsked = ThoseWith(&Plugin::scores);
  std::ranges::copy_if(kAsked, std::back_inserter(plugins_), [&](const Plugin* plugin) {
    return plugin->has_scores(pod);
  });
}

std::vector<int64_t> ComparedScores::Of(std::span<const NodeState* const> nodes) const {
  std::vector<int64_t> sums(nodes.size());
  for (const Plugin* plugin : plugins_) {
    AddWeighted(plugin->scores(pod_, nodes), plugin->weight, sums);
  }
  return sums;
}

}  // namespace dray::scheduler::inline plugins
