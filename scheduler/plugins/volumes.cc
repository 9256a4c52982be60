// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/volumes.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "api/core_v1/persistent_volume_claim.h"
#include "api/pods/life.h"
#include "api/storage_v1/storage_class.h"
#include "scheduler/cluster/cluster_indexes.h"

namespace dray::scheduler::inline plugins {
namespace {

namespace core_v1 = api::core_v1;

constexpr std::string_view kOnePod = "ReadWriteOncePod";
/// Why the claim rejects every node, or empty.
std::string WhyNotUsable(const core_v1::PersistentVolumeClaim& claim) {
  if (claim.status.phase == "Lost") {
    return fmt::format(R"(persistentvolumeclaim "{}" bound to non-existent persistentvolume "{}")",
                       claim.metadata.name,
                       claim.spec.volume_name);
  }
  if (!claim.metadata.deletion_timestamp) return {};
  return fmt::format("persistentvolumeclaim \"{}\" is being deleted", claim.metadata.name);
}

/// Whether the claim gets its volume when a pod that uses it has a node.
bool WaitsForConsumer(const core_v1::PersistentVolumeClaim& claim, const VolumeLookups& lookups) {
  const auto old_name = claim.metadata.annotations.find("volume.beta.kubernetes.io/storage-class");
  const std::string name = old_name != claim.metadata.annotations.end()
                               ? old_name->second
                               : claim.spec.storage_class_name.value_or("");
  const api::Object* const found = name.empty() ? nullptr : lookups.find_class(name);
  return found != nullptr &&
         found->As<api::storage_v1::StorageClass>().volume_binding_mode == "WaitForFirstConsumer";
}

/// Whether another pod that has a node, or is assumed on one, uses the volume claim.
bool IsUsedByOther(const ClusterCache& cluster, std::string_view claim, const core_v1::Pod& than) {
  return std::ranges::any_of(
      cluster.indexes().PodsOfVolumeClaim(claim), [&](const std::string& key) {
        const auto& pod = cluster.FindPod(key)->As<core_v1::Pod>();
        const bool has_node = !pod.spec.node_name.empty() || cluster.IsAssumed(pod.metadata.uid);
        return pod.metadata.uid != than.metadata.uid && has_node && !api::pods::HasEnded(pod);
      });
}

}  // namespace

VolumeNeeds VolumeNeedsOf(const core_v1::Pod& pod, const VolumeLookups& lookups) {
  VolumeNeeds needs;
  for (const std::string& key : VolumeClaimsOf(pod)) {
    const api::Object* found = lookups.find_claim(key);
    if (found == nullptr) {
      needs.why_nowhere = fmt::format("persistentvolumeclaim \"{}\" not found",
                                      key.substr(pod.metadata.namespace_.size() + 1));
      return needs;
    }
    const auto& claim = found->As<core_v1::PersistentVolumeClaim>();
    needs.why_nowhere = WhyNotUsable(claim);
    if (!needs.why_nowhere.empty()) return needs;
    const bool is_for_one = std::ranges::count(claim.spec.access_modes, kOnePod) > 0;
    needs.is_in_use = needs.is_in_use || (is_for_one && lookups.is_in_use(key));
    if (claim.spec.volume_name.empty()) {
      if (WaitsForConsumer(claim, lookups)) continue;
      needs.why_nowhere = "pod has unbound immediate PersistentVolumeClaims";
      return needs;
    }
    const api::Object* volume = lookups.find_volume(claim.spec.volume_name);
    if (volume != nullptr) {
      needs.volumes.push_back(&volume->As<core_v1::PersistentVolume>());
    } else {
      needs.lacks_volume = true;
    }
  }
  return needs;
}

VolumeNeeds VolumeNeedsOf(const core_v1::Pod& pod, const ClusterCache& cluster) {
  const ClusterObjects& objects = cluster.objects();
  return VolumeNeedsOf(
      pod,
      {.find_claim = [&](std::string_view key) { return objects.volume_claims.Find(key); },
       .find_volume = [&](std::string_view name) { return objects.volumes.Find(name); },
       .find_class = [&](std::string_view name) { return objects.storage_classes.Find(name); },
       .is_in_use = [&](std::string_view claim) { return IsUsedByOther(cluster, claim, pod); }});
}

}  // namespace dray::scheduler::inline plugins
