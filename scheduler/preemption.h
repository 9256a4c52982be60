// SPDX-License-Identifier: Apache-2.0
// Which pods must go so that a more important one fits: upstream's default preemption, without
// disruption budgets.
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

#include "api/value/time.h"
#include "base/result.h"
#include "scheduler/node_filter.h"

namespace dray::scheduler {

/// What is said of a node where nobody is less important.
inline constexpr std::string_view kNoVictims = "No preemption victims found for incoming pod";

/// A pod that runs on a node, or is about to.
struct PodOnNode {
  std::string uid, key;  // "namespace/name"
  int32_t priority = 0;
  api::Time started{};    // zero: not yet
  bool is_going = false;  // it has been deleted to make room and is not gone yet
  Amounts requests{};
};

/// Whether a pod fits on a node in this state. Errors: those of the search for devices.
using FitsOn = std::function<Result<std::optional<Rejection>>(const NodeState& state)>;

/// The fewest of `others` that must go, most important first: of those less important than
/// `priority` all are taken away, and then given back, the most important and longest running
/// first, as long as the pod still fits. Or why even that would not help.
///
/// Cost: as many questions as there are less important pods. Errors: those of `fits`.
Result<std::variant<std::vector<PodOnNode>, Rejection>> ChooseVictims(const NodeState& state,
                                                                      std::vector<PodOnNode> others,
                                                                      int32_t priority,
                                                                      const FitsOn& fits);

/// A node, and who must leave it.
struct Preemption {
  size_t node = 0;  // its place among those of the attempt
  std::string name;
  std::vector<PodOnNode> victims;  // at least one
};

/// The one that harms least: the lowest of the highest priorities of victims, the smallest sum of
/// priorities, the fewest victims, the one whose most important victim runs for the shortest time;
/// the first of equals. `candidates` is not empty.
const Preemption& LeastHarm(std::span<const Preemption> candidates);

}  // namespace dray::scheduler
