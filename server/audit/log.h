// SPDX-License-Identifier: Apache-2.0
// The audit log: a bounded queue of lines and the thread that writes them to a file. A request only
// appends its lines to memory. The thread polls every kGatherTime while lines arrive, more often
// while there are many, so a request wakes it only after kGatherTime without lines.
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

/// Limits of the lines that wait to be written. Past either, the server refuses new requests. Lines
/// of running requests may take as much again.
inline constexpr size_t kWaitingLinesMax = 10'000;
inline constexpr size_t kWaitingBytesMax = size_t{64} << 20;

/// How long lines are gathered before they are written, because a wake-up and a system call for
/// each line would cost more than the line. After a round of kManyBytes the thread waits only
/// kGatherTimeOfMany. A request wakes the thread early only at kGatherBytesMax, because waking a
/// thread on an idle CPU costs the request 20 us and more.
inline constexpr std::chrono::milliseconds kGatherTime{50};
inline constexpr std::chrono::milliseconds kGatherTimeOfMany{5};
inline constexpr size_t kManyBytes = size_t{64} << 10;
inline constexpr size_t kGatherBytesMax = size_t{1} << 20;
/// Limit of one write in bytes; a longer line is written alone.
inline constexpr size_t kWriteBytesMax = size_t{256} << 10;

/// Writes one or more whole lines. Only the log's thread calls it.
using Sink = std::function<Result<>(std::string_view lines)>;

/// Thread-safe.
class AuditLog {
 public:
  /// Reports lost lines to `log`. The clock outlives the audit log.
  AuditLog(Log log, const Clock& clock, Sink sink);
  /// Blocks until the queued lines are written.
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  /// Whether there is room for the lines of a new request.
  bool HasRoom() const { return has_room_.load(std::memory_order_relaxed); }
  /// Queues `text`, which is `lines` whole lines. If twice as much waits as HasRoom allows, drops
  /// all of them and counts them as lost. If memory is short, queues nothing.
  void Add(size_t lines, std::string_view text);
  /// The number of lines that were dropped or that the sink failed to write.
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
  size_t lines_ DRAY_GUARDED_BY(mutex_) = 0;  // in waiting_
  uint64_t lost_ DRAY_GUARDED_BY(mutex_) = 0;
  uint64_t reported_ = 0;                      // lost lines logged; used by the log's thread only
  std::atomic<bool> has_room_ = true;          // atomic, because each request reads it
  MonotonicTime due_ DRAY_GUARDED_BY(mutex_);  // the next round, unless the thread is asleep
  bool is_asleep_ DRAY_GUARDED_BY(mutex_) = false;
  bool closed_ DRAY_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace dray::server::audit
