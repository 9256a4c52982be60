// SPDX-License-Identifier: Apache-2.0
// Which pods to evict so that a more important one fits: upstream's default preemption.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/core_v1/node.h"
#include "api/core_v1/pod.h"
#include "base/result.h"
#include "scheduler/cluster/disruption_budgets.h"
#include "scheduler/cluster/node_state.h"
#include "scheduler/cluster/pod_on_node.h"
#include "scheduler/plugins/pod_needs.h"

namespace dray::scheduler::inline preemption {

/// The message of a node without less important pods.
inline constexpr std::string_view kNoVictims = "No preemption victims found for incoming pod";

/// Tests whether a pod fits on a node in this state. Errors: those of the search for devices.
using FitsOn = std::function<Result<std::optional<Rejection>>(const NodeState& state)>;

/// How to test whether a pod fits without others.
struct Trial {
  FitsOn fits;
  /// Called when a pod is removed or added back. Not set: no notification is needed.
  enum class Change : int8_t { kGone = -1, kBack = 1 };
  std::function<void(const PodOnNode& pod, Change change)> moved = {};
};

/// The order in which pods are added back: by priority, groups before single pods, larger groups
/// first, then those that run longest. The key breaks ties, so that the order is deterministic.
bool IsMoreImportant(const Victim& one, const Victim& other);

/// The number of pods of each victim, in this order, whose eviction violates a budget.
std::vector<size_t> ViolationsBy(std::span<const Victim> victims, DisruptionBudgets& budgets);

/// The pods to evict; `violations`: how many of them against their disruption budgets.
struct ChosenVictims {
  std::vector<PodOnNode> pods;  // most important first
  size_t violations = 0;
};

/// Chooses the fewest of `others` to evict, or returns why evictions do not help. Removes all pods
/// less important than `priority`, then adds back each that leaves room for the pod: first those
/// whose budget would be violated, and the most important first.
///
/// Cost: one test for each less important pod. Errors: those of `fits`.
Result<std::variant<ChosenVictims, Rejection>> ChooseVictims(const NodeState& state,
                                                             std::vector<Victim> others,
                                                             int32_t priority,
                                                             DisruptionBudgets budgets,
                                                             const Trial& trial);

/// A node, and the pods to evict from it.
struct Preemption {
  size_t node = 0;  // its index among the nodes of the attempt
  std::string name;
  std::vector<PodOnNode> victims;  // at least one
  size_t violations = 0;           // of disruption budgets
};

/// The candidate that harms least: the fewest violations of budgets, the lowest maximum priority of
/// victims, the smallest sum of priorities, the fewest victims, the one whose most important victim
/// has run for the shortest time; of equal ones the first. `candidates` is not empty.
const Preemption& LeastHarm(std::span<const Preemption> candidates);

}  // namespace dray::scheduler::inline preemption
