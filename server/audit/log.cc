// SPDX-License-Identifier: Apache-2.0
#include "server/audit/log.h"

#include <utility>

namespace dray::server::audit {

AuditLog::AuditLog(Log log, Sink sink)
    : log_(std::move(log)), sink_(std::move(sink)), thread_([this] { Run(); }) {}

AuditLog::~AuditLog() {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    filled_.NotifyAll();
  }
  thread_.join();
}

bool AuditLog::IsPast(size_t times) const {
  return waiting_.size() >= times * kWaitingLinesMax || bytes_ >= times * kWaitingBytesMax;
}

bool AuditLog::HasRoom() const {
  const MutexLock lock(mutex_);
  return !IsPast(1);
}

void AuditLog::Add(std::string line) {
  const MutexLock lock(mutex_);
  if (IsPast(2)) {
    ++lost_;
    return;
  }
  bytes_ += line.size();
  waiting_.push_back(std::move(line));
  if (waiting_.size() == 1) filled_.NotifyOne();
}

uint64_t AuditLog::lost() const {
  const MutexLock lock(mutex_);
  return lost_;
}

void AuditLog::Run() {
  for (bool is_last = false; !is_last;) {
    {
      const MutexLock lock(mutex_);
      while (waiting_.empty() && !closed_) filled_.Wait(mutex_);
      is_last = closed_;
    }
    if (!is_last) std::this_thread::sleep_for(kGatherTime);
    std::vector<std::string> lines;
    uint64_t lost = 0;
    {
      const MutexLock lock(mutex_);
      lines.swap(waiting_);
      bytes_ = 0;
      lost = lost_;
    }
    if (lost > told_) {
      log_.Error("audit events were dropped: they come faster than they are written",
                 "dropped",
                 lost - std::exchange(told_, lost));
    }
    Write(lines);
  }
}

void AuditLog::Write(const std::vector<std::string>& lines) {
  uint64_t refused = 0;
  std::string why;
  for (size_t next = 0; next < lines.size();) {
    std::string together;
    const size_t first = next;
    do {
      together += lines[next++];
    } while (next < lines.size() && together.size() + lines[next].size() <= kWriteBytesMax);
    const Result<> written = sink_(together);
    if (written.has_value()) continue;
    refused += next - first;
    why = written.error().message;
  }
  if (refused == 0) return;
  log_.Error("audit events could not be written", "lost", refused, "error", why);
  const MutexLock lock(mutex_);
  lost_ += refused;
  told_ += refused;
}

}  // namespace dray::server::audit
