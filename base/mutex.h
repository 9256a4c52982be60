// SPDX-License-Identifier: Apache-2.0
// Locks that clang's thread-safety analysis understands. Code that uses a member with
// DRAY_GUARDED_BY(mutex) without holding the Mutex does not compile. All locks of the project are
// these, or made of them; a style check refuses std::mutex outside of base/.
//
// They are for objects that several threads change: stores, queues, caches. Everything else is
// shared as immutable values (base/published.h) or belongs to one thread. Threads pass work to each
// other over bounded queues.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#define DRAY_GUARDED_BY(mutex) __attribute__((guarded_by(mutex)))
#define DRAY_REQUIRES(mutex) __attribute__((requires_capability(mutex)))

namespace dray {

/// Not recursive. Lock it with a MutexLock.
class __attribute__((capability("mutex"))) Mutex {
 public:
  void Lock() __attribute__((acquire_capability())) { mutex_.lock(); }
  void Unlock() __attribute__((release_capability())) { mutex_.unlock(); }

 private:
  friend class Condition;
  std::mutex mutex_;
};

/// Holds a Mutex during its lifetime.
class __attribute__((scoped_lockable)) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) __attribute__((acquire_capability(mutex))) : mutex_(mutex) {
    mutex_.Lock();
  }
  ~MutexLock() __attribute__((release_capability())) { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

/// A condition variable for a Mutex. A wait may end without a notification, so callers must check
/// their condition in a loop.
class Condition {
 public:
  void Wait(Mutex& mutex) DRAY_REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  /// Waits for `time` at most; returns false when that is over.
  bool WaitFor(Mutex& mutex, std::chrono::nanoseconds time) DRAY_REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    const bool in_time = condition_.wait_for(lock, time) == std::cv_status::no_timeout;
    lock.release();
    return in_time;
  }
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace dray
