// SPDX-License-Identifier: Apache-2.0
// The loop of a component: one thread, given by the caller, that runs Step() whenever there is
// something to do.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>

#include "base/wakeup.h"
#include "base/world.h"

namespace dray::client {

/// The earlier of two moments, where nothing means never.
inline std::optional<MonotonicTime> Earlier(std::optional<MonotonicTime> a,
                                            std::optional<MonotonicTime> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

class Loop {
 public:
  /// Does the work that is ready without waiting for more. Returns when to run again even without a
  /// wake-up. A simulator calls it with its own clock instead of Run.
  using Step = std::function<std::optional<MonotonicTime>()>;

  /// Wakes the loop from any thread.
  Wakeup& wakeup() { return wakeup_; }

  /// Runs until Stop.
  void Run(const Clock& clock, const Step& step) {
    while (!stopping_) {
      const std::optional<MonotonicTime> next = step();
      // Nothing is missed by sleeping longer; a bound keeps a clock that jumps harmless.
      std::chrono::nanoseconds wait = std::chrono::seconds(60);
      if (next) wait = std::min(wait, *next - clock.Monotonic());
      if (wait > std::chrono::nanoseconds(0)) wakeup_.WaitFor(wait);
    }
  }
  /// From any thread; the step that runs is finished.
  void Stop() {
    stopping_ = true;
    wakeup_.Wake();
  }
  bool stopping() const { return stopping_; }

 private:
  Wakeup wakeup_;
  std::atomic<bool> stopping_ = false;
};

}  // namespace dray::client
