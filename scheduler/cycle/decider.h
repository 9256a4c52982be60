// SPDX-License-Identifier: Apache-2.0
// Decides about the pods that Pop returns: TryPod with the attempt's budget and the node at which
// its search begins.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "base/world.h"
#include "dray/budget.h"
#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/configuration/configuration.h"
#include "scheduler/cycle/attempt.h"
#include "scheduler/cycle/cluster_view.h"
#include "scheduler/cycle/cycle.h"
#include "scheduler/cycle/node_verdicts.h"
#include "scheduler/queue/queue.h"

namespace dray::scheduler::inline cycle {

/// Owns the budget of the current attempt and the node where the next search begins. Changes
/// nothing in the cluster. Not thread-safe.
class Decider {
 public:
  /// All members must outlive the Decider.
  struct Uses {
    ClusterCache& cluster;
    SchedulingQueue& queue;
    const Configuration& configuration;
    const Clock& clock;
    const std::atomic<bool>& cancelled;  // set: searches end without an answer
  };
  struct Options {
    CycleOptions cycle = {};
    /// ClusterView::too_much_is_unresolvable.
    bool too_much_is_unresolvable = true;
  };

  Decider(const Uses& uses, const Options& options) : uses_(uses), options_(options) {}

  /// Begins an attempt for an entry of the queue. The first budget is small, so that a fruitless
  /// attempt delays other pods little. It doubles each time that it was too small, up to half a
  /// second. Each of `pods` of a group adds a share.
  void Begin(const std::string& entry, size_t pods);

  /// Returns where the pod goes, or why it fits nowhere, within the budget. `claims`: the device
  /// search handles these; `others`: the pod's other claims. The pod must name one of the profiles.
  Decision Decide(const api::core_v1::Pod& pod,
                  std::span<const api::Object> claims,
                  const AsMember& member = {},
                  const OtherClaims* others = nullptr);
  /// The budget of a search for the pod: its profile's limit, and the rest of the attempt's budget.
  allocator::Budget BudgetFor(const api::core_v1::Pod& pod);

  /// Whether the current attempt has spent its budget.
  bool is_spent() const { return work_.has_value() && work_->is_spent(); }
  /// Charges the attempt for the entry to its namespace. Returns the work that it took.
  uint64_t Charge(std::string_view entry);
  /// Puts the entry aside after an attempt that spent its budget. Returns the duration as text.
  std::string PutAside(const std::string& entry);

  size_t first_node() const { return first_node_; }
  /// Records that the placement is used: the next search begins after its node.
  void GoOnAfter(const Placement& placement) { first_node_ = placement.next_first_node; }

 private:
  const Uses uses_;
  const Options options_;
  NodeVerdicts verdicts_;                      // about the nodes of uses_.cluster
  std::optional<allocator::SharedWork> work_;  // the budget left for the attempt
  uint64_t granted_ = 0;                       // the budget at the start
  std::chrono::nanoseconds rest_{};            // the rest of its share if it takes more
  size_t first_node_ = 0;
};

}  // namespace dray::scheduler::inline cycle
