// SPDX-License-Identifier: Apache-2.0
// Indexes of the cluster's objects: by the group, pool, pod or volume claim that they name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "client/mirror.h"
#include "scheduler/cluster/cluster_objects.h"

namespace dray::scheduler::inline cluster {

/// "namespace/name" of the volume claims that the pod names, in the order of its volumes.
/// O(volumes).
std::vector<std::string> VolumeClaimsOf(const api::core_v1::Pod& pod);

/// Not thread-safe. The indexes follow every change of the objects at once.
class ClusterIndexes {
 public:
  /// `objects` must still be empty, and must outlive this. `pod_groups`: pods may belong to groups.
  ClusterIndexes(ClusterObjects& objects, bool pod_groups);

  /// Keys of the pods that belong to a group; only with `pod_groups`.
  client::Mirror::IndexedKeys PodsOfGroup(std::string_view group_key) const;
  /// Names of the slices of "driver/pool"; only with `pod_groups`.
  client::Mirror::IndexedKeys SlicesOfPool(std::string_view pool) const;
  /// The claim that an earlier attempt made for the pod's extended resources; null: there is none.
  const api::Object* LeftOverOf(std::string_view pod_uid) const;
  /// Keys of the pods that use a volume claim, "namespace/name".
  client::Mirror::IndexedKeys PodsOfVolumeClaim(std::string_view claim) const;

 private:
  ClusterObjects& objects_;
  const bool has_groups_;
  size_t claims_by_extended_pod_ = 0, pods_by_volume_claim_ = 0;
  size_t pods_by_group_ = 0, slices_by_pool_ = 0;  // with groups
};

}  // namespace dray::scheduler::inline cluster
