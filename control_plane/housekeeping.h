// SPDX-License-Identifier: Apache-2.0
// Periodic work of a server: removes expired records, compacts the history, gives back memory, and
// retries its own writes that failed at the start.
#pragma once

#include <atomic>
#include <chrono>

#include "base/strong.h"
#include "base/world.h"
#include "net/reactor.h"
#include "store/store.h"

namespace dray::server::verbs {
class Resources;
}  // namespace dray::server::verbs

namespace dray::control_plane {

/// Removes expired records (Events, one hour after their last write) about every kPeriod, at most
/// kBatchMax a time, on a reactor's thread. Every `compact_every` it drops the history before the
/// revision that was the newest one such period ago, as kube-apiserver does; 0: never. Construct
/// and destroy it while the reactor is not running it: before the server starts requests, and after
/// it has shut down.
class Housekeeping {
 public:
  static constexpr std::chrono::seconds kPeriod{5};
  static constexpr size_t kBatchMax = 1000;

  Housekeeping(store::Store& store,
               const Clock& clock,
               net::Reactor& reactor,
               server::verbs::Resources& resources,
               std::chrono::nanoseconds compact_every);
  Housekeeping(const Housekeeping&) = delete;
  Housekeeping& operator=(const Housekeeping&) = delete;
  /// Waits for a write in progress.
  ~Housekeeping();

 private:
  void RepeatOwnWrites();
  void Schedule();
  void ScheduleCompaction(Revision then);

  store::Store& store_;
  const Clock& clock_;
  net::Reactor& reactor_;
  server::verbs::Resources& resources_;
  const std::chrono::nanoseconds compact_every_;
  net::Timer timer_, compaction_timer_;
  std::atomic<bool> is_writing_ = false;
};

}  // namespace dray::control_plane
