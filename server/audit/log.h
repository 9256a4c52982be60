// SPDX-License-Identifier: Apache-2.0
// The audit log: lines of requests on their way to a file, written by a thread of their own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/mutex.h"
#include "base/result.h"

namespace dray::server::audit {

/// Lines, and bytes of them, that may wait to be written; past either new requests are refused.
/// What those under way have still to say may take as much again.
inline constexpr size_t kWaitingLinesMax = 10'000;
inline constexpr size_t kWaitingBytesMax = size_t{64} << 20;

/// Lines are gathered for so long before they are written, and written so many bytes at once, if no
/// single line is longer: a wake-up and a system call for each would cost more than the lines.
inline constexpr std::chrono::milliseconds kGatherTime{5};
inline constexpr size_t kWriteBytesMax = size_t{64} << 10;

/// Takes whole lines, one or more; called by the log's thread only.
using Sink = std::function<Result<>(std::string_view lines)>;

/// Thread-safe.
class AuditLog {
 public:
  /// `log` is told when something could not be written.
  AuditLog(Log log, Sink sink);
  /// Waits until everything is written: kGatherTime longer than that takes, at most.
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  /// Whether a new request can be written about.
  bool HasRoom() const;
  /// Queues a line. One that finds no place at all is dropped, and counted.
  void Add(std::string line);
  /// Lines that were not written: dropped, or refused by the sink.
  uint64_t lost() const;

 private:
  void Run();
  void Write(const std::vector<std::string>& lines);
  bool IsPast(size_t times) const DRAY_REQUIRES(mutex_);

  const Log log_;
  const Sink sink_;
  mutable Mutex mutex_;
  Condition filled_;
  std::vector<std::string> waiting_ DRAY_GUARDED_BY(mutex_);
  size_t bytes_ DRAY_GUARDED_BY(mutex_) = 0;
  uint64_t lost_ DRAY_GUARDED_BY(mutex_) = 0;
  uint64_t told_ = 0;  // of those, in the server's log; of the log's thread
  bool closed_ DRAY_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace dray::server::audit
