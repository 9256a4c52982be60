// SPDX-License-Identifier: Apache-2.0
// Finds pods to evict for a pod that fits nowhere: upstream's plugin DefaultPreemption.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

#include "api/core_v1/pod.h"
#include "scheduler/cycle/cluster_view.h"
#include "scheduler/cycle/unschedulable.h"
#include "scheduler/preemption/preemption.h"

namespace dray::scheduler::inline cycle {

/// The message if the pod's preemption policy is Never.
inline constexpr std::string_view kNeverPreempts = "not eligible due to preemptionPolicy=Never.";

/// How to test whether the pod fits on a node without some of its pods.
struct VictimQuestions {
  /// Begins a trial on one node.
  std::function<Trial()> begin;
  /// Whether the attempt has spent its budget; the search then ends.
  std::function<bool()> is_out_of_work;
};

/// Stores in `result` the pods to evict from one of the `resolvable` nodes (their indexes in
/// view.nodes), or why eviction does not help. An error on a node becomes a reason against the
/// node, because the attempt itself is over and cannot fail any more. Cost: a trial for each less
/// important pod, on as many nodes as upstream tries.
void LookForVictims(const api::core_v1::Pod& pod,
                    const ClusterView& view,
                    std::span<const size_t> resolvable,
                    const VictimQuestions& questions,
                    Unschedulable& result);

}  // namespace dray::scheduler::inline cycle
