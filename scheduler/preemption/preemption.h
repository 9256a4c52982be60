// SPDX-License-Identifier: Apache-2.0
// Which pods must go so that a more important one fits: upstream's default preemption.
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

/// What is said of a node where nobody is less important.
inline constexpr std::string_view kNoVictims = "No preemption victims found for incoming pod";

/// Whether a pod fits on a node in this state. Errors: those of the search for devices.
using FitsOn = std::function<Result<std::optional<Rejection>>(const NodeState& state)>;

/// How it is tried whether a pod fits without others.
struct Trial {
  FitsOn fits;
  /// Told when a pod is taken away, and when it is given back. Not set: nobody wants to know.
  enum class Change : int8_t { kGone = -1, kBack = 1 };
  std::function<void(const PodOnNode& pod, Change change)> moved = {};
};

/// The order in which pods are given back: by priority, groups before pods alone, larger ones
/// first, then those that run longest; the key makes it the same order everywhere.
bool IsMoreImportant(const Victim& one, const Victim& other);

/// How many pods of each, asked about in this order, go against their budgets.
std::vector<size_t> ViolationsBy(std::span<const Victim> victims, DisruptionBudgets& budgets);

/// Who must go; `violations`: how many of them against their disruption budgets.
struct ChosenVictims {
  std::vector<PodOnNode> pods;  // most important first
  size_t violations = 0;
};

/// The fewest of `others` that must go: of those less important than `priority` all are taken away,
/// and then given back, those with a budget that would be violated before the others, and the most
/// important first, as long as the pod still fits. Or why even that would not help.
///
/// Cost: as many questions as there are less important pods. Errors: those of `fits`.
Result<std::variant<ChosenVictims, Rejection>> ChooseVictims(const NodeState& state,
                                                             std::vector<Victim> others,
                                                             int32_t priority,
                                                             DisruptionBudgets budgets,
                                                             const Trial& trial);

/// A node, and who must leave it.
struct Preemption {
  size_t node = 0;  // its place among those of the attempt
  std::string name;
  std::vector<PodOnNode> victims;  // at least one
  size_t violations = 0;           // of disruption budgets
};

/// The one that harms least: the fewest violations of budgets, the lowest of the highest priorities
/// of victims, the smallest sum of priorities, the fewest victims, the one whose most important
/// victim runs for the shortest time; the first of equals. `candidates` is not empty.
const Preemption& LeastHarm(std::span<const Preemption> candidates);

}  // namespace dray::scheduler::inline preemption
