// SPDX-License-Identifier: Apache-2.0
// Decides about the pods whose turn it is: TryPod with what an attempt may take, and with the node
// at which its search begins.
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
#include "scheduler/queue/queue.h"

namespace dray::scheduler::inline cycle {

/// Owns the budget of the attempt under way and the node where the next search begins. Changes
/// nothing in the cluster. One thread.
class Decider {
 public:
  /// They outlive it.
  struct Uses {
    ClusterCache& cluster;
    SchedulingQueue& queue;
    const Configuration& configuration;
    const Clock& clock;
    const std::atomic<bool>& cancelled;  // set: searches end without an answer
  };
  struct Options {
    CycleOptions cycle = {};
    /// ClusterView::tells_too_much.
    bool tells_too_much = true;
  };

  Decider(const Uses& uses, const Options& options) : uses_(uses), options_(options) {}

  /// Begins an attempt for an entry of the queue. Its budget is small at first, so that other pods
  /// wait little for an attempt that leads to nothing; it doubles each time that it was not enough,
  /// up to half a second. `pods` of a group have a share each.
  void Begin(const std::string& entry, size_t pods);

  /// Where the pod goes, or why nowhere, within the budget. `claims` are those that are searched
  /// for; `others`: what the pod has beside them. A profile wants the pod.
  Decision Decide(const api::core_v1::Pod& pod,
                  std::span<const api::Object> claims,
                  const AsMember& member = {},
                  const OtherClaims* others = nullptr);
  /// What a search for the pod may take: what its profile allows, and what is left of the attempt.
  allocator::Budget BudgetFor(const api::core_v1::Pod& pod);

  /// Whether the attempt under way has taken all that it may.
  bool is_spent() const { return work_.has_value() && work_->is_spent(); }
  /// Counts the attempt for the entry against its namespace. Returns what the attempt has taken.
  uint64_t Charge(std::string_view entry);
  /// Puts the entry aside, because the attempt for it took too much. Returns for how long, as text.
  std::string PutAside(const std::string& entry);

  size_t first_node() const { return first_node_; }
  /// The placement is used: the next search begins behind its node.
  void GoOnAfter(const Placement& placement) { first_node_ = placement.next_first_node; }

 private:
  const Uses uses_;
  const Options options_;
  std::optional<allocator::SharedWork> work_;  // that the attempt under way may do
  uint64_t granted_ = 0;                       // what work_ began with
  std::chrono::nanoseconds rest_{};            // what its share rests if it takes more
  size_t first_node_ = 0;
};

}  // namespace dray::scheduler::inline cycle
