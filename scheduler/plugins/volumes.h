// SPDX-License-Identifier: Apache-2.0
// What the volumes of a pod ask for: for the plugins VolumeRestrictions, VolumeBinding and
// VolumeZone, as far as volumes that are bound tell. Volumes are not bound or provided here: a
// claim that is to be bound at once keeps its pod waiting as long as it has no volume; one that is
// to be bound for its first consumer is no obstacle.
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

/// What there is. Null: there is none of that name.
struct VolumeLookups {
  std::function<const api::Object*(std::string_view key)> find_claim;  // "namespace/name"
  std::function<const api::Object*(std::string_view name)> find_volume;
  std::function<const api::Object*(std::string_view name)> find_class;  // a StorageClass
  /// Whether another pod that has a node uses the claim.
  std::function<bool(std::string_view claim_key)> is_in_use;
};

/// What the volumes of a pod ask for. Refers to the objects that were found.
struct VolumeNeeds {
  std::string why_nowhere;  // whatever the node, in upstream's words; or empty
  std::vector<const api::core_v1::PersistentVolume*> volumes;
  bool lacks_volume = false;  // a claim is bound to one that does not exist
  bool is_in_use = false;     // a claim for one pod is used by another
};

VolumeNeeds VolumeNeedsOf(const api::core_v1::Pod& pod, const VolumeLookups& lookups);
/// The same with what the cluster has. Valid until its next change.
VolumeNeeds VolumeNeedsOf(const api::core_v1::Pod& pod, const ClusterCache& cluster);

}  // namespace dray::scheduler::inline plugins
