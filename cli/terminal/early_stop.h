// SPDX-License-Identifier: Apache-2.0
// A signal before a server serves: the program ends within a second, whatever it is doing.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "base/descriptor.h"
#include "base/mutex.h"
#include "cli/terminal/stop_signals.h"

namespace dray::cli::inline terminal {

/// How long the program has to end by itself after the signal.
inline constexpr std::chrono::milliseconds kEndsWithin{900};

/// While it lives, the first SIGINT or SIGTERM sets a flag; the program is ended when this still
/// lives kEndsWithin later.
class EarlyStop {
 public:
  /// `signals` outlives it.
  explicit EarlyStop(const StopSignals& signals);
  ~EarlyStop();
  EarlyStop(const EarlyStop&) = delete;
  EarlyStop& operator=(const EarlyStop&) = delete;

  bool came() const { return came_.load(std::memory_order_relaxed); }
  /// From now on no signal is taken: StopSignals has those that come. Returns came().
  bool End();

 private:
  void Watch();

  const StopSignals& signals_;
  const Descriptor woken_;
  std::atomic<bool> came_ = false;
  Mutex mutex_;
  Condition changed_;
  bool is_over_ DRAY_GUARDED_BY(mutex_) = false;
  std::thread watcher_;
};

}  // namespace dray::cli::inline terminal
