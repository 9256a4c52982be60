// SPDX-License-Identifier: Apache-2.0
// The audit log: lines of requests on their way to a file, written by a thread of their own. What a
// request pays is writing its lines into memory: the thread looks every kGatherTime while there is
// something, more often while there is much, and needs to be woken only when there was nothing for
// so long.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "base/log.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/wakeup.h"
#include "base/world.h"

namespace dray::server::audit {

/// Lines, and bytes of them, that may wait to be written; past either new requests are refused.
/// What those under way have still to say may take as much again.
inline constexpr size_t kWaitingLinesMax = 10'000;
inline constexpr size_t kWaitingBytesMax = size_t{64} << 20;

/// Lines are gathered for so long before they are written: a wake-up and a system call for each
/// would cost more than the lines. After a round of many bytes the next one comes sooner, by the
/// thread's own clock: who adds a line would pay 20 us and more to wake a thread on an idle CPU,
/// and does so only when there are kGatherBytesMax.
inline constexpr std::chrono::milliseconds kGatherTime{50};
inline constexpr std::chrono::milliseconds kGatherTimeOfMany{5};
inline constexpr size_t kManyBytes = size_t{64} << 10;
inline constexpr size_t kGatherBytesMax = size_t{1} << 20;
/// No more bytes are written at once, if no single line is longer.
inline constexpr size_t kWriteBytesMax = size_t{256} << 10;

/// Takes whole lines, one or more; called by the log's thread only.
using Sink = std::function<Result<>(std::string_view lines)>;

/// Thread-safe.
class AuditLog {
 public:
  /// `log` is told when something could not be written; the clock outlives it.
  AuditLog(Log log, const Clock& clock, Sink sink);
  /// Waits until everything is written, and for nothing else.
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  /// Whether a new request can be written about.
  bool HasRoom() const { return has_room_.load(std::memory_order_relaxed); }
  /// Queues `text`, which is `lines` whole lines: all of them, or, when twice as much waits as
  /// HasRoom allows, none, which is counted. Without memory nothing is queued.
  void Add(size_t lines, std::string_view text);
  /// Lines that were not written: dropped, or refused by the sink.
  uint64_t lost() const;

 private:
  void Run();
  void AwaitTurn();
  bool Take(std::string& lines);
  void Write(std::string_view lines);
  bool HasPlaceFor(size_t lines) DRAY_REQUIRES(mutex_);
  bool NeedsWakingAfter(size_t lines, size_t bytes_before) DRAY_REQUIRES(mutex_);
  bool IsFull() const DRAY_REQUIRES(mutex_) { return waiting_.size() >= kGatherBytesMax; }
  bool IsPast(size_t times) const DRAY_REQUIRES(mutex_);

  const Log log_;
  const Clock& clock_;
  const Sink sink_;
  Wakeup wakeup_;
  mutable Mutex mutex_;
  std::string waiting_ DRAY_GUARDED_BY(mutex_);
  size_t lines_ DRAY_GUARDED_BY(mutex_) = 0;  // in it
  uint64_t lost_ DRAY_GUARDED_BY(mutex_) = 0;
  uint64_t reported_ = 0;                      // of those, in the server's log; of the log's thread
  std::atomic<bool> has_room_ = true;          // no lock for what each request asks
  MonotonicTime due_ DRAY_GUARDED_BY(mutex_);  // the next round, unless the thread is asleep
  bool is_asleep_ DRAY_GUARDED_BY(mutex_) = false;
  bool closed_ DRAY_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace dray::server::audit
