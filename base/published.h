// SPDX-License-Identifier: Apache-2.0
// Sharing without locks in the layers above: many may read because none may write.
#pragma once

#include <memory>
#include <utility>

#include "base/mutex.h"

namespace dray {

/// The only shared ownership: an immutable value.
template <class T>
using Frozen = std::shared_ptr<const T>;

/// The newest immutable value: one writer replaces it, any thread takes it.
template <class T>
class Published {
 public:
  explicit Published(Frozen<T> first) : newest_(std::move(first)) {}

  Frozen<T> Load() const {
    const MutexLock lock(mutex_);
    return newest_;
  }
  /// The old value is released after the lock, so a big one holds nobody up.
  void Store(Frozen<T> next) {
    const MutexLock lock(mutex_);
    newest_.swap(next);
  }

 private:
  mutable Mutex mutex_;
  Frozen<T> newest_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray
