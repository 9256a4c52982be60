// SPDX-License-Identifier: Apache-2.0
// The requirements of a pod's volumes, for the plugins VolumeRestrictions, VolumeBinding and
// VolumeZone. Only bound volumes are considered, because Dray does not bind or provision volumes. A
// claim with immediate binding keeps its pod waiting until it has a volume; a claim that waits for
// its first consumer is no obstacle.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/persistent_volume.h"
#include "api/core_v1/pod.h"
#include "api/object.h"
#include "scheduler/cluster/cluster_cache.h"

namespace dray::scheduler::inline plugins {

/// Lookups in the cluster. Null: there is no object of that name.
struct VolumeLookups {
  std::function<const api::Object*(std::string_view key)> find_claim;  // "namespace/name"
  std::function<const api::Object*(std::string_view name)> find_volume;
  std::function<const api::Object*(std::string_view name)> find_class;  // a StorageClass
  /// Whether another pod that has a node uses the claim.
  std::function<bool(std::string_view claim_key)> is_in_use;
};

/// The requirements of a pod's volumes. Refers to the objects that were found.
struct VolumeNeeds {
  std::string why_nowhere;  // a reason for all nodes, in upstream's words; or empty
  std::vector<const api::core_v1::PersistentVolume*> volumes;
  bool lacks_volume = false;  // a claim is bound to a volume that does not exist
  bool is_in_use = false;     // a claim for one pod is used by another
};

VolumeNeeds VolumeNeedsOf(const api::core_v1::Pod& pod, const VolumeLookups& lookups);
/// The same with the objects of the cluster cache. Valid until its next change.
VolumeNeeds VolumeNeedsOf(const api::core_v1::Pod& pod, const ClusterCache& cluster);

}  // namespace dray::scheduler::inline plugins
