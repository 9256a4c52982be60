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
  filled_.NotifyOne();
}

uint64_t AuditLog::lost() const {
  const MutexLock lock(mutex_);
  return lost_;
}

void AuditLog::Run() {
  uint64_t told = 0;
  for (;;) {
    std::vector<std::string> lines;
    uint64_t lost = 0;
    {
      const MutexLock lock(mutex_);
      while (waiting_.empty() && !closed_) filled_.Wait(mutex_);
      if (waiting_.empty()) return;
      lines.swap(waiting_);
      bytes_ = 0;
      lost = lost_;
    }
    if (lost > told)
      log_.Error("audit events were dropped: they come faster than they are written",
                 "dropped",
                 lost - std::exchange(told, lost));
    uint64_t refused = 0;
    std::string why;
    for (const std::string& line : lines) {
      const Result<> written = sink_(line);
      if (written.has_value()) continue;
      ++refused;
      why = written.error().message;
    }
    if (refused == 0) continue;
    log_.Error("audit events could not be written", "lost", refused, "error", why);
    const MutexLock lock(mutex_);
    lost_ += refused;
    told += refused;
  }
}

}  // namespace dray::server::audit
