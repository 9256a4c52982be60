// SPDX-License-Identifier: Apache-2.0
#include "server/audit/log.h"

#include <algorithm>
#include <utility>

namespace dray::server::audit {
namespace {

constexpr std::chrono::hours kUntilWoken{1};
constexpr size_t kKeptBytesMax = 2 * kGatherBytesMax;  // capacity kept between two rounds

}  // namespace

AuditLog::AuditLog(Log log, const Clock& clock, Sink sink)
    : log_(std::move(log)),
      clock_(clock),
      sink_(std::move(sink)),
      due_(clock.Monotonic() + kGatherTime),
      thread_([this] { Run(); }) {}

AuditLog::~AuditLog() {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
  }
  wakeup_.Wake();
  thread_.join();
}

bool AuditLog::IsPast(size_t times) const {
  return lines_ >= times * kWaitingLinesMax || waiting_.size() >= times * kWaitingBytesMax;
}

bool AuditLog::HasPlaceFor(size_t lines) {
  if (!IsPast(2)) return true;
  lost_ += lines;
  return false;
}

void AuditLog::Add(size_t lines, std::string_view text) {
  {
    const MutexLock lock(mutex_);
    if (!HasPlaceFor(lines)) return;
    const size_t before = waiting_.size();
    waiting_ += text;
    if (!NeedsWakingAfter(lines, before)) return;
  }
  wakeup_.Wake();
}

// Called after `lines` were added to `bytes_before` waiting bytes.
bool AuditLog::NeedsWakingAfter(size_t lines, size_t bytes_before) {
  lines_ += lines;
  if (IsPast(1)) has_room_ = false;
  const bool was_asleep = std::exchange(is_asleep_, false);
  if (was_asleep) due_ = clock_.Monotonic() + kGatherTime;
  return was_asleep || (IsFull() && bytes_before < kGatherBytesMax);
}

uint64_t AuditLog::lost() const {
  const MutexLock lock(mutex_);
  return lost_;
}

void AuditLog::Run() {
  std::string lines;
  for (bool is_last = false; !is_last;) {
    AwaitTurn();
    is_last = Take(lines);
    Write(lines);
    lines.clear();
    if (lines.capacity() > kKeptBytesMax) lines.shrink_to_fit();
  }
}

// Waits until lines are due or the log closes. Add wakes this thread only when it has been idle for
// kGatherTime or the buffer is full.
void AuditLog::AwaitTurn() {
  for (;;) {
    const MonotonicTime now = clock_.Monotonic();
    std::chrono::nanoseconds wait = kUntilWoken;
    {
      const MutexLock lock(mutex_);
      if (closed_ || IsFull() || (now >= due_ && !waiting_.empty())) return;
      is_asleep_ = now >= due_;
      if (!is_asleep_) wait = due_ - now;
    }
    wakeup_.WaitFor(wait);
  }
}

// Moves the waiting lines to `lines`. Returns true when the log is closed, so these are the last.
bool AuditLog::Take(std::string& lines) {
  uint64_t lost = 0;
  bool is_last = false;
  {
    const MutexLock lock(mutex_);
    lines.swap(waiting_);
    lines_ = 0;
    has_room_ = true;
    due_ = clock_.Monotonic() + (lines.size() >= kManyBytes ? kGatherTimeOfMany : kGatherTime);
    lost = lost_;
    is_last = closed_;
  }
  if (lost > reported_) {
    log_.Error("audit events were dropped: they come faster than they are written",
               "dropped",
               lost - std::exchange(reported_, lost));
  }
  return is_last;
}

void AuditLog::Write(std::string_view lines) {
  uint64_t refused = 0;
  std::string why;
  while (!lines.empty()) {
    // As many whole lines as fit, at least one.
    size_t end = lines.size() <= kWriteBytesMax ? lines.size()
                                                : lines.substr(0, kWriteBytesMax).rfind('\n') + 1;
    if (end == 0) end = std::min(lines.find('\n', kWriteBytesMax), lines.size() - 1) + 1;
    const std::string_view together = lines.substr(0, end);
    lines.remove_prefix(end);
    const Result<> written = sink_(together);
    if (written.has_value()) continue;
    refused += static_cast<uint64_t>(std::ranges::count(together, '\n'));
    why = written.error().message;
  }
  if (refused == 0) return;
  log_.Error("audit events could not be written", "lost", refused, "error", why);
  const MutexLock lock(mutex_);
  lost_ += refused;
  reported_ += refused;
}

}  // namespace dray::server::audit
