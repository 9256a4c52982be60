// SPDX-License-Identifier: Apache-2.0
// A scheduler with threads of its own, and short timers for tests.
#pragma once

#include <thread>
#include <vector>

#include "base/world.h"
#include "client/client.h"
#include "scheduler/scheduler.h"

namespace dray::exclusive_devices {

/// Schedules and binds until it is destroyed.
class RunningScheduler {
 public:
  /// The client and the world outlive it.
  RunningScheduler(client::Client& client, World& world);
  RunningScheduler(const RunningScheduler&) = delete;
  RunningScheduler& operator=(const RunningScheduler&) = delete;
  ~RunningScheduler() { scheduler_.Stop(); }

 private:
  scheduler::Scheduler scheduler_;
  std::vector<std::jthread> threads_;  // joined before the objects that they use are destroyed
};

}  // namespace dray::exclusive_devices
