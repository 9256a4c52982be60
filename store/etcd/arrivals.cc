// SPDX-License-Identifier: Apache-2.0
#include "store/etcd/arrivals.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/strong.h"
#include "base/world.h"

namespace dray::store::etcd {

bool Arrivals::WaitFor(Revision revision, MonotonicTime deadline, Tell tell) {
  Arrival how = Arrival::kReached;
  {
    const MutexLock lock(mutex_);
    if (closing_) {
      how = Arrival::kClosing;
    } else if (revision > reached_) {
      waiting_.emplace(revision, Waiting{.deadline = deadline, .tell = std::move(tell)});
      return false;
    }
  }
  tell(how);
  return how == Arrival::kReached;
}

void Arrivals::Reach(Revision revision) {
  std::vector<Tell> told;
  {
    const MutexLock lock(mutex_);
    reached_ = std::max(reached_, revision);
    const auto end = waiting_.upper_bound(reached_);
    for (auto at = waiting_.begin(); at != end; ++at) told.push_back(std::move(at->second.tell));
    waiting_.erase(waiting_.begin(), end);
  }
  for (Tell& tell : told) tell(Arrival::kReached);
}

size_t Arrivals::GiveUp(MonotonicTime now) {
  std::vector<Tell> told;
  {
    const MutexLock lock(mutex_);
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      if (at->second.deadline > now) {
        ++at;
        continue;
      }
      told.push_back(std::move(at->second.tell));
      at = waiting_.erase(at);
    }
  }
  for (Tell& tell : told) tell(Arrival::kTooLate);
  return told.size();
}

void Arrivals::Close() {
  std::multimap<Revision, Waiting> all;
  {
    const MutexLock lock(mutex_);
    closing_ = true;
    all.swap(waiting_);
  }
  for (auto& [revision, waiting] : all) waiting.tell(Arrival::kClosing);
}

Revision Arrivals::reached() const {
  const MutexLock lock(mutex_);
  return reached_;
}

bool Arrivals::someone_waits() const {
  const MutexLock lock(mutex_);
  return !waiting_.empty();
}

}  // namespace dray::store::etcd
