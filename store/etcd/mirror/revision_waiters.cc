// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/mirror/revision_waiters.h"

#include <algorithm>
#include <cstddef>
#include <utility>

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
  Waits due;
  {
    const MutexLock lock(mutex_);
    reached_ = std::max(reached_, revision);
    while (!waiting_.empty() && waiting_.begin()->first <= reached_) {
      due.insert(due.end(), waiting_.extract(waiting_.begin()));  // needs no allocation
    }
  }
  CallBack(due, WaitOutcome::kReached);
}

size_t RevisionWaiters::ExpireWaits(MonotonicTime now) {
  Waits due;
  {
    const MutexLock lock(mutex_);
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      const auto waits = at++;
      if (waits->second.deadline <= now) due.insert(due.end(), waiting_.extract(waits));
    }
  }
  CallBack(due, WaitOutcome::kTimedOut);
  return due.size();
}

void RevisionWaiters::Close() {
  Waits all;
  {
    const MutexLock lock(mutex_);
    closing_ = true;
    all.swap(waiting_);
  }
  CallBack(all, WaitOutcome::kClosing);
}

void RevisionWaiters::CallBack(Waits& due, WaitOutcome how) {
  for (auto& each : due) each.second.callback(how);
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
