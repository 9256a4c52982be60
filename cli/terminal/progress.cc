// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/progress.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace dray::cli::inline terminal {
namespace {

constexpr std::string_view kEraseLine = "\r\033[K";

}  // namespace

std::string LookingFor(std::string_view what) {
  return fmt::format("looking for devices for {}", what);
}

std::string ProgressLine::Now(std::string_view what, MonotonicTime now) {
  const std::string cleared = Clear();
  what_ = what;
  return cleared + StillNow(now);
}

std::string ProgressLine::StillNow(MonotonicTime now) {
  if (what_.empty() || is_shown_ || now < shown_from_) return {};
  is_shown_ = true;
  return fmt::format("{} …", what_);
}

std::string ProgressLine::Clear() {
  what_.clear();
  return std::exchange(is_shown_, false) ? std::string(kEraseLine) : std::string();
}

Progress::Progress(const Output& output, const Clock& clock)
    : output_(output), clock_(clock), line_(clock.Monotonic()) {
  if (output_.shows_progress) watcher_.emplace([this] { Watch(); });
}

Progress::~Progress() {
  Clear();
  if (!watcher_.has_value()) return;
  {
    const MutexLock lock(mutex_);
    is_over_ = true;
  }
  wakeup_.Wake();
  watcher_->join();
}

void Progress::Now(std::string_view what) {
  if (!output_.shows_progress) return;
  const MutexLock lock(mutex_);
  Write(line_.Now(Printable(what), clock_.Monotonic()));
}

void Progress::Clear() {
  const MutexLock lock(mutex_);
  Write(line_.Clear());
}

void Progress::Watch() {
  while (true) {
    std::chrono::nanoseconds rest{0};
    {
      const MutexLock lock(mutex_);
      if (is_over_) return;
      rest = line_.shown_from() - clock_.Monotonic();
      if (rest.count() <= 0) return Write(line_.StillNow(clock_.Monotonic()));
    }
    wakeup_.WaitFor(rest);
  }
}

void Progress::Write(const std::string& text) const {
  if (text.empty()) return;
  fmt::print(output_.notes, "{}", text);
  (void)std::fflush(output_.notes);  // an error means that the terminal is gone
}

}  // namespace dray::cli::inline terminal
