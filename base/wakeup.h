// SPDX-License-Identifier: Apache-2.0
// Wakeup: lets other threads wake a waiting loop when there is work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace dray {

/// Many threads may wake, one waits. A Wake() without a waiting thread is remembered and ends the
/// next wait at once; several of them count as one. Must outlive all calls of Wake.
class Wakeup {
 public:
  void Wake() {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(awake_, true)) return;  // the waiting thread was notified already
    }
    condition_.notify_one();  // after unlocking, so the woken thread finds the lock free
  }

  /// Returns after a Wake (true), or after `at_most` of real time (false).
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
