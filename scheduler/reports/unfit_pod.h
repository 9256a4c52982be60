// SPDX-License-Identifier: Apache-2.0
// A pod that fits nowhere, with as much of the cluster as it takes to say why: values that any
// thread may look at while the scheduler goes on. Who says why comes in from above.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/object.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/slice.h"
#include "base/published.h"
#include "dray/features.h"
#include "dray/snapshot.h"
#include "scheduler/cluster/node_state.h"

namespace dray::scheduler::inline reports {

/// Nodes of a question: of a larger cluster some of each group of nodes that have the same devices
/// for the pod.
inline constexpr size_t kUnfitNodesMax = 16;
/// Devices of the pools that these nodes see; with more of them fewer nodes are taken, or none.
inline constexpr size_t kUnfitDevicesMax = 1024;
/// Claims with devices of these pools.
inline constexpr size_t kUnfitHoldersMax = 2048;

struct UnfitPod {
  api::Object pod;
  std::vector<api::Object> claims;  // all that the pod uses
  /// Nodes that would take the pod, devices aside. In name order.
  std::vector<NodeState> nodes;
  bool is_sample = false;                                       // there are more of these
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices;  // whole pools, taints applied
  std::vector<Frozen<api::resource_v1::DeviceClass>> classes;
  std::vector<api::Object> holders;  // claims that have devices of these pools
  allocator::Features features = {};
  std::shared_ptr<cel::SelectorCache> selectors;
  /// Set when nobody waits for the answer any more; null: never. Outlives the question.
  const std::atomic<bool>* cancelled = nullptr;
};

/// Says in one line why the pod gets no devices; empty: there is nothing to say. Called on another
/// thread than the scheduler's.
using ExplainUnfit = std::function<std::string(const UnfitPod& pod)>;

}  // namespace dray::scheduler::inline reports
