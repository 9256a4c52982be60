// SPDX-License-Identifier: Apache-2.0
#include "scheduler/plugins/plugin.h"
#include "scheduler/plugins/volumes.h"

namespace dray::scheduler::inline plugins {
namespace {

std::optional<Rejection> FilterInUse(const PodInAttempt& pod, const NodeState& /*node*/) {
  if (pod.volumes == nullptr || !pod.volumes->is_in_use) return std::nullopt;
  return Rejection{.reasons = {"node(s) unavailable due to PersistentVolumeClaim with "
                               "ReadWriteOncePod access mode already in-use by another pod"},
                   .unresolvable = false};
}

}  // namespace

/// A ReadWriteOncePod claim has at most one pod.
extern const Plugin kVolumeRestrictions{
    .name = "VolumeRestrictions",
    .filter = FilterInUse,
    .retry = ClusterEvent::kVolumes,
    .missing = "disks in a pod's own volumes (GCE, AWS, RBD, iSCSI) are not kept from two writers"};

}  // namespace dray::scheduler::inline plugins
