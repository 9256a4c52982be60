// SPDX-License-Identifier: Apache-2.0
// What happens in a cluster that may let a pod fit that fitted nowhere.
#pragma once

#include <cstdint>

namespace dray::scheduler::inline queue {

/// Nodes were added or changed, pods left their nodes, devices were added or freed, classes
/// changed, pods came to nodes, volumes or claims for them changed.
enum class ClusterEvent : uint8_t {
  kNodes,
  kAssignedPods,
  kDevices,
  kClasses,
  kPlacedPods,
  kVolumes,
};

}  // namespace dray::scheduler::inline queue
