// SPDX-License-Identifier: Apache-2.0
// Placements on their way to the server: holds their devices, counts their pods on their nodes,
// writes them (bind.h), and follows each until its outcome is known.
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

/// Owns bindings that are being written, that wait for their devices to get ready, and whose
/// outcome is unknown. Until a binding has ended and the cluster shows its claims, its devices stay
/// in flight and its pod counts on its node. Everything but Run and Stop belongs to the scheduler's
/// thread.
class Binder {
 public:
  /// They outlive it.
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
    /// Bindings handed to threads in Run and not finished. 0: the scheduler's thread writes.
    size_t bindings_max = 0;
    /// Between questions about a binding of unknown outcome.
    std::chrono::nanoseconds ask_again = std::chrono::seconds(1);
    /// A binding has ended: its pod is bound, or BindOutcome::error says why not. Its holds have
    /// ended; the pod is still assumed.
    std::function<void(const BindOutcome& outcome)> on_end;
  };

  Binder(const Uses& uses, Options options);

  /// Holds the devices of the placement, assumes the pod on its node, and begins to write all of
  /// it. One entry of `allocations` of the placement per claim.
  void Place(const api::Object& pod, std::span<const api::Object> claims, Placement placement);
  /// The same with claims that say themselves what is to be written; Placement::allocations is not
  /// used.
  void Place(const api::Object& pod, std::vector<ClaimToBind> claims, Placement placement);

  /// Takes in what other threads have written, asks about bindings of unknown outcome, and goes on
  /// with those whose devices are ready or have failed. Returns when to come again.
  std::optional<MonotonicTime> Step();

  /// The pod is gone or has a node: its binding waits no more.
  void PodIsDone(std::string_view uid) { waiting_.Remove(uid); }
  /// The assumed pod is being deleted: the next Step looks at it.
  void PodIsGoing(std::string_view uid) { waiting_.Stir(uid); }
  void ClaimChanged(const api::Object* before, const api::Object* after) {
    waiting_.ClaimChanged(before, after);
  }

  size_t unknown() const { return unknown_.size(); }
  size_t waiting() const { return waiting_.size(); }

  /// Writes bindings until Stop; on any number of threads, for Options::bindings_max > 0.
  void Run();
  /// From any thread. Bindings that are not being written yet are dropped.
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
  size_t bindings_ = 0;                             // handed over and not taken in
  BindingWaits waiting_;                            // for their devices to get ready
  std::multimap<MonotonicTime, BindTask> unknown_;  // of unknown outcome, by when to ask again
};

}  // namespace dray::scheduler::inline bind
