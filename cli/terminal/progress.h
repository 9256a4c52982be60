// SPDX-License-Identifier: Apache-2.0
// A progress line on a terminal.
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

/// Shorter work shows no progress line.
inline constexpr std::chrono::seconds kQuickWork{1};

/// "looking for devices for pod default/trainer-0".
std::string LookingFor(std::string_view what);

/// The contents of the line, and the output that updates it; nothing while the work is short.
class ProgressLine {
 public:
  explicit ProgressLine(MonotonicTime begun) : shown_from_(begun + kQuickWork) {}

  /// Another step begins: "reading" is shown as "reading …".
  std::string Now(std::string_view what, MonotonicTime now);
  /// The step continues.
  std::string StillNow(MonotonicTime now);
  /// All steps have ended, or other output follows.
  std::string Clear();
  /// When the line appears.
  MonotonicTime shown_from() const { return shown_from_; }

 private:
  const MonotonicTime shown_from_;
  std::string what_ = {};  // empty: no step
  bool is_shown_ = false;
};

/// The progress line of a terminal; writes nothing if the notes do not go to a terminal. The next
/// line or the destructor removes it. The time of the work starts at construction, by `clock`.
class Progress {
 public:
  Progress(const Output& output, const Clock& clock);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void Now(std::string_view what);
  /// Removes the line; call before other output.
  void Clear();

 private:
  /// Shows the line of a long step once it is due.
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
