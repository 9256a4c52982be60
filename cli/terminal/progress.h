// SPDX-License-Identifier: Apache-2.0
// A line that says what is being done, for somebody who waits at a terminal.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/mutex.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "cli/terminal/output.h"

namespace dray::cli::inline terminal {

/// Work that takes no longer says nothing of itself.
inline constexpr std::chrono::seconds kQuickWork{1};

/// "looking for devices for pod default/trainer-0".
std::string LookingFor(std::string_view what);

/// What stands in the line, and what to write so that it does: nothing while the work is quick.
class ProgressLine {
 public:
  explicit ProgressLine(MonotonicTime begun) : shown_from_(begun + kQuickWork) {}

  /// Something else is done from now on: "reading" is shown as "reading …".
  std::string Now(std::string_view what, MonotonicTime now);
  /// The same goes on.
  std::string StillNow(MonotonicTime now);
  /// Nothing is done any more, or something else is written.
  std::string Clear();
  /// When there is something to be seen.
  MonotonicTime shown_from() const { return shown_from_; }

 private:
  const MonotonicTime shown_from_;
  std::string what_ = {};  // empty: nothing
  bool is_shown_ = false;
};

/// The line at a terminal; nothing is written when nobody watches. It is gone when the next one
/// comes, and at the end. Work counts from when this is made, by `clock`.
class Progress {
 public:
  Progress(const Output& output, const Clock& clock);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void Now(std::string_view what);
  /// Before anything else is written.
  void Clear();

 private:
  /// Shows the line of a long step when its time has come.
  void Watch();
  void Write(const std::string& text) const;

  const Output& output_;
  const Clock& clock_;
  Mutex mutex_;
  ProgressLine line_ DRAY_GUARDED_BY(mutex_);
  bool is_over_ DRAY_GUARDED_BY(mutex_) = false;
  Wakeup wakeup_;
  std::optional<std::thread> watcher_;
};

}  // namespace dray::cli::inline terminal
