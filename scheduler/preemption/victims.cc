// SPDX-License-Identifier: Apache-2.0
#include "scheduler/preemption/victims.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/claims/pod_groups.h"
#include "scheduler/cluster/pod_groups.h"

namespace dray::scheduler::inline preemption {
namespace {

auto FindPodIn(const ClusterCache& cluster) {
  return [&cluster](std::string_view key) { return cluster.FindPod(key); };
}

/// The pod with those evicted with it; nothing: they are in `seen`, or too important.
std::optional<Victim> VictimOf(const ClusterCache& cluster,
                               PodOnNode pod,
                               int32_t priority,
                               std::set<std::string>& seen) {
  const bool may_be_of_group = cluster.options().pod_groups && pod.pod != nullptr;
  const std::string key = may_be_of_group ? api::claims::PodGroupKeyOf(*pod.pod) : std::string();
  const api::Object* found = key.empty() ? nullptr : cluster.objects().groups.Find(key);
  Victim victim{.pods = {}, .priority = pod.priority, .is_of_group = !key.empty()};
  if (found != nullptr) victim.priority = found->As<PodGroup>().spec.priority.value_or(0);
  if (victim.priority >= priority) return std::nullopt;
  const auto* mode = found == nullptr ? nullptr : &found->As<PodGroup>().spec.disruption_mode;
  if (mode == nullptr || !mode->has_value() || !(*mode)->all.has_value()) {
    victim.pods.push_back(std::move(pod));
    return victim;
  }
  if (!seen.insert(key).second) return std::nullopt;
  for (const std::string& member : cluster.indexes().PodsOfGroup(key)) {
    const std::string& uid = cluster.FindPod(member)->metadata().uid;
    if (auto one = cluster.use().Find(uid, FindPodIn(cluster)))
      victim.pods.push_back(*std::move(one));
  }
  return victim;
}

}  // namespace

// Groups may be less important than their pods.
bool MayHaveVictims(const ClusterCache& cluster, int32_t priority) {
  return !cluster.objects().groups.objects().empty() || cluster.use().HasLessImportant(priority);
}

std::vector<Victim> VictimsOn(const ClusterCache& cluster,
                              const std::string& node,
                              int32_t priority) {
  std::vector<Victim> victims;
  std::set<std::string> seen;
  for (PodOnNode& pod : cluster.use().PodsOn(node, FindPodIn(cluster))) {
    std::optional<Victim> victim = VictimOf(cluster, std::move(pod), priority, seen);
    if (!victim) continue;
    for (PodOnNode& one : victim->pods)
      one.is_elsewhere = one.node == nullptr || one.node->metadata.name != node;
    victims.push_back(*std::move(victim));
  }
  return victims;
}

std::vector<Victim> VictimsAnywhere(const ClusterCache& cluster, int32_t priority) {
  std::vector<Victim> victims;
  std::set<std::string> seen;
  for (const auto& [key, pod] : cluster.objects().pods.objects()) {
    std::optional<PodOnNode> one = cluster.use().Find(pod.metadata().uid, FindPodIn(cluster));
    if (!one || one->node == nullptr) continue;
    std::optional<Victim> victim = VictimOf(cluster, *std::move(one), priority, seen);
    if (victim) victims.push_back(*std::move(victim));
  }
  std::ranges::sort(victims, IsMoreImportant);
  return victims;
}

}  // namespace dray::scheduler::inline preemption
