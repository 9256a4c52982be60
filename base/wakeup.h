// SPDX-License-Identifier: Apache-2.0
// Wakeup: how other threads tell a loop that waits that there is something to do.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace dray {

/// Many threads may wake, one waits. A Wake() that comes while nobody waits is remembered and ends
/// the next wait at once; several of them count as one. Lives longer than any Wake under way.
class Wakeup {
 public:
  void Wake() {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(awake_, true)) return;  // whoever waits was told
    }
    condition_.notify_one();  // who wakes up finds the lock free
  }

  /// Returns after a Wake (true), or after `at_most` of real time.
  bool WaitFor(std::chrono::nanoseconds at_most) {
    std::unique_lock lock(mutex_);
    condition_.wait_for(lock, at_most, [this] { return awake_; });
    return std::exchange(awake_, false);
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool awake_ = false;
};

}  // namespace dray
