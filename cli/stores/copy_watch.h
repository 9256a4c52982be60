// SPDX-License-Identifier: Apache-2.0
// Progress of backups and restores, and their end at Ctrl-C.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/world.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/stop_signals.h"

namespace dray::cli::inline stores {

/// While it lives, SIGINT and SIGTERM only end the copy, between two of its steps. A partial file
/// is removed even if further signals arrive. Precondition: no other thread has started.
class CopyWatch {
 public:
  /// `doing` is the start of the progress line: "backing up".
  CopyWatch(const Output& output, const Clock& clock, std::string_view doing)
      : output_(output), doing_(doing), progress_(output, clock) {}

  /// Call after each step. Returns whether to continue.
  bool Step(uint64_t done, uint64_t all);
  bool is_ended() const { return is_ended_; }
  /// Prints `text` about the interruption and returns the exit code. Precondition: is_ended().
  int ReportEnd(std::string_view text);
  /// Removes the progress line; call before other output.
  void Clear() { progress_.Clear(); }

 private:
  const StopSignals signals_;
  const Output& output_;
  const std::string_view doing_;
  Progress progress_;  // its thread blocks signals
  bool is_ended_ = false;
};

/// The message about an interrupted backup.
std::string BackupEndText(const std::string& file);

}  // namespace dray::cli::inline stores
