// SPDX-License-Identifier: Apache-2.0
// The newest of a sequence of immutable values, for many threads.
#pragma once

#include <utility>

#include "base/frozen.h"
#include "base/mutex.h"

namespace dray {

/// The newest of a sequence of immutable values: one writer replaces it, any thread may read it.
template <class T>
class Published {
 public:
  explicit Published(Frozen<T> first) : newest_(std::move(first)) {}

  Frozen<T> Load() const {
    const MutexLock lock(mutex_);
    return newest_;
  }
  /// The old value is released after the lock, so that no thread waits while a big value is
  /// destroyed.
  void Store(Frozen<T> next) {
    const MutexLock lock(mutex_);
    newest_.swap(next);
  }

 private:
  mutable Mutex mutex_;
  Frozen<T> newest_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray
