// SPDX-License-Identifier: Apache-2.0
// What backups, and restoring one, tell while they copy, and how Ctrl-C ends them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/world.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/stop_signals.h"

namespace dray::cli::inline stores {

/// While it lives, SIGINT and SIGTERM end nothing but the copy, between two steps of it: what is
/// half written is removed, whatever comes meanwhile. Precondition: no other thread has started.
class CopyWatch {
 public:
  /// `doing` begins the line of progress: "backing up".
  CopyWatch(const Output& output, const Clock& clock, std::string_view doing)
      : output_(output), doing_(doing), progress_(output, clock) {}

  /// After each step; whether to go on.
  bool Step(uint64_t done, uint64_t all);
  bool is_ended() const { return is_ended_; }
  /// Says so in `text`; the exit code. Precondition: is_ended().
  int TellEnd(std::string_view text);
  /// Before anything else is written.
  void Clear() { progress_.Clear(); }

 private:
  const StopSignals signals_;
  const Output& output_;
  const std::string_view doing_;
  Progress progress_;  // whose thread takes no signals
  bool is_ended_ = false;
};

/// What an ended backup says.
std::string BackupEndText(const std::string& file);

}  // namespace dray::cli::inline stores
