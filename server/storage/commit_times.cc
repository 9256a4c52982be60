// SPDX-License-Identifier: Apache-2.0
#include "server/storage/commit_times.h"

#include <algorithm>
#include <utility>

namespace dray::server::storage {

CommitTimes::CommitTimes(store::Store& store, const Clock& clock, size_t moments_max)
    : clock_(clock), moments_max_(moments_max) {
  // The subscription comes first, so that no commit is missed between the two.
  Result<store::Subscription> subscription =
      store.Subscribe([this](Revision newest) { Note(newest); });
  if (subscription) subscription_ = *std::move(subscription);
  Note(store.Read()->revision());
}

Moment CommitTimes::first() const {
  const MutexLock lock(mutex_);
  return moments_.front();
}

WallTime CommitTimes::TimeOf(Revision revision) const {
  const MutexLock lock(mutex_);
  const auto at = std::ranges::lower_bound(moments_, revision, {}, &Moment::revision);
  return at == moments_.end() ? moments_.back().time : at->time;
}

size_t CommitTimes::moments() const {
  const MutexLock lock(mutex_);
  return moments_.size();
}

void CommitTimes::Note(Revision newest) {
  const MutexLock lock(mutex_);
  if (!moments_.empty() && moments_.back().revision >= newest) return;
  moments_.push_back({.revision = newest, .time = clock_.Now()});
  if (moments_.size() > moments_max_) moments_.pop_front();
}

}  // namespace dray::server::storage
