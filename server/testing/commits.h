// SPDX-License-Identifier: Apache-2.0
// Tests wait here for what a controller writes on a thread of its own.
#pragma once

#include <cstddef>
#include <utility>

#include "base/mutex.h"
#include "store/store.h"

namespace dray::server::testing {

/// The commits of a store, which outlives it.
class Commits {
 public:
  explicit Commits(store::Store& store)
      : subscription_(store
                          .Subscribe([this](Revision /*newest*/) {
                            const MutexLock lock(mutex_);
                            ++count_;
                            changed_.NotifyAll();
                          })
                          .value()) {}
  ~Commits() = default;
  Commits(const Commits&) = delete;
  Commits& operator=(const Commits&) = delete;

  /// Returns when `is_so()` is true. It is asked at once, and again after commits.
  template <typename IsSo>
  void WaitUntil(const IsSo& is_so) {
    while (true) {
      const size_t seen = Count();
      if (is_so()) return;
      const MutexLock lock(mutex_);
      while (count_ == seen) changed_.Wait(mutex_);
    }
  }

 private:
  size_t Count() {
    const MutexLock lock(mutex_);
    return count_;
  }

  Mutex mutex_;
  Condition changed_;
  size_t count_ DRAY_GUARDED_BY(mutex_) = 0;
  // The last member: its end is the end of the calls.
  store::Subscription subscription_;
};

}  // namespace dray::server::testing
