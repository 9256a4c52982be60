// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM, for commands that run until a signal.
#pragma once

#include <chrono>
#include <csignal>
#include <string_view>

#include "base/descriptor.h"

namespace dray::cli::inline terminal {

/// Blocks SIGINT and SIGTERM in this thread and those that it starts; Wait and WaitFor take them.
/// Precondition: no other thread has started.
class StopSignals {
 public:
  StopSignals();

  /// Waits for a signal; returns its name, "SIGTERM".
  std::string_view Wait() const;
  /// Waits at most this long. Returns whether a signal came; with zero, whether one has come
  /// already.
  bool WaitFor(std::chrono::nanoseconds at_most) const;
  /// Waits for a signal and takes it; false: `woken` can be read first, or no descriptor is left.
  bool WaitUnless(const Descriptor& woken) const;

 private:
  sigset_t set_{};
};

}  // namespace dray::cli::inline terminal
