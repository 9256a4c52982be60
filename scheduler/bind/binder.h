// SPDX-License-Identifier: Apache-2.0
// Writes placements to the server: holds their devices, counts their pods on their nodes, writes
// them (bind.h), and follows each until its outcome is known.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/bounded_queue.h"
#include "base/log.h"
#include "base/world.h"
#include "client/client.h"
#include "client/loop.h"
#include "scheduler/bind/bind.h"
#include "scheduler/bind/binding_waits.h"
#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/cluster/cluster_feed.h"
#include "scheduler/configuration/configuration.h"
#include "scheduler/cycle/cycle.h"
#include "scheduler/reports/outcome_reporter.h"

namespace dray::scheduler::inline bind {

/// Owns the bindings that are being written, that wait for their devices, and whose outcome is
/// unknown. Until a binding has ended and the cluster cache shows its claims, its devices stay in
/// flight and its pod counts on its node. Only the scheduler's thread may call functions other than
/// Run and Stop.
class Binder {
 public:
  /// All members must outlive the Binder.
  struct Uses {
    client::Client& client;
    const Clock& clock;
    const Log& log;
    client::Loop& loop;
    const Configuration& configuration;
    ClusterCache& cluster;
    ClusterFeed& feed;
    OutcomeReporter& outcomes;
  };
  struct Options {
    /// The limit of bindings handed to threads in Run and not finished. 0: the scheduler's thread
    /// writes.
    size_t bindings_max = 0;
    /// The interval between two checks of a binding of unknown outcome.
    std::chrono::nanoseconds ask_again = std::chrono::seconds(1);
    /// Called when a binding has ended: its pod is bound, or BindOutcome::error holds the reason.
    /// Its holds have been released; the pod is still assumed.
    std::function<void(const BindOutcome& outcome)> on_end;
  };

  Binder(const Uses& uses, Options options);

  /// Holds the devices of the placement, assumes the pod on its node, and starts to write all of
  /// it. `placement.allocations` has one entry per claim.
  void Place(const api::Object& pod, std::span<const api::Object> claims, Placement placement);
  /// The same with claims that carry their own allocations; Placement::allocations is not used.
  void Place(const api::Object& pod, std::vector<ClaimToBind> claims, Placement placement);

  /// Collects what other threads have written, checks bindings of unknown outcome, and continues
  /// those whose devices are ready or have failed. Returns when to call it again.
  std::optional<MonotonicTime> Step();

  /// The pod is gone or has a node, so its binding stops waiting.
  void PodIsDone(std::string_view uid) { waiting_.Remove(uid); }
  /// The assumed pod is being deleted; the next Step checks it.
  void PodIsGoing(std::string_view uid) { waiting_.Stir(uid); }
  void ClaimChanged(const api::Object* before, const api::Object* after) {
    waiting_.ClaimChanged(before, after);
  }

  size_t unknown() const { return unknown_.size(); }
  size_t waiting() const { return waiting_.size(); }

  /// Writes bindings until Stop; on any number of threads, for Options::bindings_max > 0.
  void Run();
  /// Safe on any thread. Drops bindings that are not being written yet.
  void Stop() { tasks_.Close(); }

 private:
  void Hold(BindTask& task, ClaimToBind claim);
  void Begin(BindTask task);
  void Finish(BindOutcome outcome);
  std::optional<MonotonicTime> AskAboutUnknown();
  void Await(BindTask task);
  std::optional<MonotonicTime> GoOnWithWaiting();
  MonotonicTime Now() const { return uses_.clock.Monotonic(); }

  const Uses uses_;
  const Options options_;
  BoundedQueue<BindTask> tasks_;
  BoundedQueue<BindOutcome> outcomes_;
  size_t bindings_ = 0;                             // handed to Run and not collected
  BindingWaits waiting_;                            // for devices that are not ready
  std::multimap<MonotonicTime, BindTask> unknown_;  // by the time of the next check
};

}  // namespace dray::scheduler::inline bind
