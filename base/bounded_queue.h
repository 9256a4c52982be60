// SPDX-License-Identifier: Apache-2.0
// A queue between threads that never grows past its bound.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "base/mutex.h"

namespace dray {

/// Many producers, many consumers, first in first out, at most `capacity` elements.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

  /// Returns false when full or closed; the caller decides what to do (429, drop the watch, …).
  [[nodiscard]] bool TryPush(T value) {
    {
      const MutexLock lock(mutex_);
      if (closed_ || values_.size() >= capacity_) return false;
      values_.push_back(std::move(value));
    }
    filled_.NotifyOne();  // after unlocking, so the woken thread finds the lock free
    return true;
  }

  /// Waits for an element; returns nothing once the queue is closed and empty.
  std::optional<T> Pop() {
    const MutexLock lock(mutex_);
    while (values_.empty() && !closed_) filled_.Wait(mutex_);
    return TakeFirst();
  }

  /// Returns the first element, if there is one now.
  std::optional<T> TryPop() {
    const MutexLock lock(mutex_);
    return TakeFirst();
  }

  /// Refuses further elements and wakes all consumers. Queued elements can still be taken.
  void Close() {
    const MutexLock lock(mutex_);
    closed_ = true;
    filled_.NotifyAll();
  }

  /// Drops the elements for which `is_moot` holds; it must not use the queue. O(size).
  template <class Predicate>
  void EraseIf(Predicate is_moot) {
    const MutexLock lock(mutex_);
    std::erase_if(values_, is_moot);
  }

  size_t size() const {
    const MutexLock lock(mutex_);
    return values_.size();
  }

 private:
  std::optional<T> TakeFirst() DRAY_REQUIRES(mutex_) {
    if (values_.empty()) return std::nullopt;
    std::optional<T> first(std::move(values_.front()));
    values_.pop_front();
    return first;
  }

  const size_t capacity_;
  mutable Mutex mutex_;
  Condition filled_;
  std::deque<T> values_ DRAY_GUARDED_BY(mutex_);
  bool closed_ DRAY_GUARDED_BY(mutex_) = false;
};

}  // namespace dray
