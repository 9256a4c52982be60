// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/mirror/revision_waiters.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/strong.h"
#include "base/world.h"

namespace dray::store::etcd::mirror {

bool RevisionWaiters::WaitFor(Revision revision, MonotonicTime deadline, Callback callback) {
  WaitOutcome how = WaitOutcome::kReached;
  {
    const MutexLock lock(mutex_);
    if (closing_) {
      how = WaitOutcome::kClosing;
    } else if (revision > reached_) {
      waiting_.emplace(revision, Waiting{.deadline = deadline, .callback = std::move(callback)});
      return false;
    }
  }
  callback(how);
  return how == WaitOutcome::kReached;
}

void RevisionWaiters::Reach(Revision revision) {
  std::vector<Callback> due;
  {
    const MutexLock lock(mutex_);
    reached_ = std::max(reached_, revision);
    const auto end = waiting_.upper_bound(reached_);
    for (auto at = waiting_.begin(); at != end; ++at) due.push_back(std::move(at->second.callback));
    waiting_.erase(waiting_.begin(), end);
  }
  for (Callback& callback : due) callback(WaitOutcome::kReached);
}

size_t RevisionWaiters::ExpireWaits(MonotonicTime now) {
  std::vector<Callback> due;
  {
    const MutexLock lock(mutex_);
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      if (at->second.deadline > now) {
        ++at;
        continue;
      }
      due.push_back(std::move(at->second.callback));
      at = waiting_.erase(at);
    }
  }
  for (Callback& callback : due) callback(WaitOutcome::kTimedOut);
  return due.size();
}

void RevisionWaiters::Close() {
  std::multimap<Revision, Waiting> all;
  {
    const MutexLock lock(mutex_);
    closing_ = true;
    all.swap(waiting_);
  }
  for (auto& [revision, waiting] : all) waiting.callback(WaitOutcome::kClosing);
}

Revision RevisionWaiters::reached() const {
  const MutexLock lock(mutex_);
  return reached_;
}

bool RevisionWaiters::someone_waits() const {
  const MutexLock lock(mutex_);
  return !waiting_.empty();
}

}  // namespace dray::store::etcd::mirror
