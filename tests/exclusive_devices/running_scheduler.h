// SPDX-License-Identifier: Apache-2.0
// A scheduler with threads of its own, quick enough for tests.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "base/world.h"
#include "client/client.h"
#include "scheduler/scheduler.h"

namespace dray::exclusive_devices {

/// Schedules and binds until it is destroyed.
class RunningScheduler {
 public:
  /// `unknown` counts the writes of which it does not hear whether they were done. The client, the
  /// world and the counter outlive it.
  RunningScheduler(client::Client& client, World& world, std::atomic<int>& unknown);
  RunningScheduler(const RunningScheduler&) = delete;
  RunningScheduler& operator=(const RunningScheduler&) = delete;
  ~RunningScheduler() { scheduler_.Stop(); }

 private:
  scheduler::Scheduler scheduler_;
  std::vector<std::jthread> threads_;  // they end before what they use
};

}  // namespace dray::exclusive_devices
