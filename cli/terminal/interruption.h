// SPDX-License-Identifier: Apache-2.0
// Ctrl-C during a long search: the search ends, and the command prints its partial results.
#pragma once

#include <atomic>
#include <thread>

#include "cli/terminal/stop_signals.h"

namespace dray::cli::inline terminal {

/// While it lives, the first SIGINT or SIGTERM sets a flag, and the second ends the program.
/// Precondition: no other thread has started.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  const std::atomic<bool>& flag() const { return came_; }
  bool came() const { return came_.load(std::memory_order_relaxed); }

 private:
  void Watch();

  const StopSignals signals_;
  std::atomic<bool> came_ = false;
  std::atomic<bool> is_over_ = false;
  std::thread watcher_;
};

}  // namespace dray::cli::inline terminal
