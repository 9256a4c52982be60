// SPDX-License-Identifier: Apache-2.0
// A pod that fits nowhere, with as much of the cluster as an explanation needs. Values only, so
// that another thread may read them while the scheduler continues. The layer above provides the
// explanation.
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
#include "base/frozen.h"
#include "dray/features.h"
#include "dray/snapshot.h"
#include "scheduler/cluster/node_state.h"

namespace dray::scheduler::inline reports {

/// The most nodes of a question. In a larger cluster, some of each group of nodes that have the
/// same devices for the pod.
inline constexpr size_t kUnfitNodesMax = 16;
/// The most devices in the pools of these nodes; if there are more, fewer nodes are taken, or none.
inline constexpr size_t kUnfitDevicesMax = 1024;
/// The most claims that hold devices of these pools.
inline constexpr size_t kUnfitHoldersMax = 2048;

struct UnfitPod {
  api::Object pod;
  std::vector<api::Object> claims;  // all claims of the pod
  /// Nodes that fit, devices aside. In name order.
  std::vector<NodeState> nodes;
  bool is_sample = false;                                       // there are more such nodes
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices;  // whole pools, with taints of rules
  std::vector<Frozen<api::resource_v1::DeviceClass>> classes;
  std::vector<api::Object> holders;  // claims that hold devices of these pools
  allocator::Features features = {};
  std::shared_ptr<allocator::SelectorCache> selectors;
  /// Set when the answer is not needed any more; null: never. Must outlive the question.
  const std::atomic<bool>* cancelled = nullptr;
};

/// Explains in one line why the pod gets no devices; empty: there is no explanation. Called on
/// another thread than the scheduler's.
using ExplainUnfit = std::function<std::string(const UnfitPod& pod)>;

}  // namespace dray::scheduler::inline reports
