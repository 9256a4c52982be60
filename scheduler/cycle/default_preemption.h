// SPDX-License-Identifier: Apache-2.0
// Looks for pods to evict where a pod fits nowhere: upstream's plugin DefaultPreemption.
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

/// The reason where the pod's policy is Never.
inline constexpr std::string_view kNeverPreempts = "not eligible due to preemptionPolicy=Never.";

/// How it is tried whether the pod fits on a node without others.
struct VictimQuestions {
  /// Begins a trial on one node.
  std::function<Trial()> begin;
  /// Whether the attempt has taken all that it may; then the search ends.
  std::function<bool()> is_out_of_work;
};

/// Writes into `result` which pods to evict from which of the `resolvable` nodes (their places in
/// view.nodes), or why that does not help. What goes wrong on a node is a reason against it: an
/// attempt that is over cannot fail any more. Cost: a trial for each less important pod, on as many
/// nodes as upstream looks at.
void LookForVictims(const api::core_v1::Pod& pod,
                    const ClusterView& view,
                    std::span<const size_t> resolvable,
                    const VictimQuestions& questions,
                    Unschedulable& result);

}  // namespace dray::scheduler::inline cycle
