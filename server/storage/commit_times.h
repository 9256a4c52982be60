// SPDX-License-Identifier: Apache-2.0
// When this server saw the latest revisions. The store knows their order but no time.
#pragma once

#include <cstddef>
#include <deque>

#include "base/mutex.h"
#include "base/result.h"
#include "base/strong.h"
#include "base/world.h"
#include "store/store.h"

namespace dray::server::storage {

/// A revision and when it was there.
struct Moment {
  Revision revision{};
  WallTime time{};
};

/// Begins with the newest revision at its construction. Safe from any thread; the store and the
/// clock outlive it. A commit costs a look at the clock and 16 bytes.
class CommitTimes {
 public:
  /// As many as a store keeps events.
  static constexpr size_t kMomentsMax = 100'000;

  CommitTimes(store::Store& store, const Clock& clock, size_t moments_max = kMomentsMax);

  /// The first moment that is known: of later revisions TimeOf tells the time.
  Moment first() const;
  /// When `revision` became visible; several commits may share a moment. A revision before
  /// first() has the time of first(). O(log n).
  WallTime TimeOf(Revision revision) const;
  size_t moments() const;

 private:
  void Note(Revision newest);

  const Clock& clock_;
  const size_t moments_max_;
  mutable Mutex mutex_;
  std::deque<Moment> moments_ DRAY_GUARDED_BY(mutex_);  // ascending; never empty
  store::Subscription subscription_;                    // last: ends before the rest goes
};

}  // namespace dray::server::storage
