// SPDX-License-Identifier: Apache-2.0
// Events in the cluster after which a pod that fitted nowhere may fit.
#pragma once

#include <cstdint>

namespace dray::scheduler::inline queue {

/// In this order: a node was added or changed; a pod left its node; a device was added or freed; a
/// class changed; a pod came to a node; a volume or a claim for one changed.
enum class ClusterEvent : uint8_t {
  kNodes,
  kAssignedPods,
  kDevices,
  kClasses,
  kPlacedPods,
  kVolumes,
};

}  // namespace dray::scheduler::inline queue
