// SPDX-License-Identifier: Apache-2.0
// What backups of every kind of store tell while they copy, and how Ctrl-C ends them.
#pragma once

#include <cstdint>
#include <string>

#include "base/world.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/stop_signals.h"

namespace dray::cli {

/// While it lives, SIGINT and SIGTERM end nothing but the copy, between two steps of it: what is
/// half written is removed, whatever comes meanwhile. Precondition: no other thread has started.
class BackupWatch {
 public:
  BackupWatch(const Output& output, const Clock& clock)
      : output_(output), progress_(output, clock) {}

  /// After each step; whether to go on.
  bool Step(uint64_t done, uint64_t all);
  bool is_ended() const { return is_ended_; }
  /// Tells that `file` was not made; the exit code. Precondition: is_ended().
  int TellEnd(const std::string& file);
  /// Before anything else is written.
  void Clear() { progress_.Clear(); }

 private:
  const StopSignals signals_;
  const Output& output_;
  Progress progress_;  // whose thread takes no signals
  bool is_ended_ = false;
};

}  // namespace dray::cli
