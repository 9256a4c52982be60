// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and its like, for commands that go on until they are told to end.
#pragma once

#include <chrono>
#include <csignal>
#include <string_view>

namespace dray::cli::inline terminal {

/// SIGINT and SIGTERM, from now on blocked in this thread and those it starts, and taken by what
/// waits here. Precondition: no other thread has started.
class StopSignals {
 public:
  StopSignals();

  /// Waits for one; its name, "SIGTERM".
  std::string_view Wait() const;
  /// Waits at most so long; whether one came. With zero: whether one has come.
  bool WaitFor(std::chrono::nanoseconds at_most) const;

 private:
  sigset_t set_{};
};

}  // namespace dray::cli::inline terminal
