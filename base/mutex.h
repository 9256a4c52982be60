// SPDX-License-Identifier: Apache-2.0
// The only mutexes of the project, with clang's thread-safety annotations. They live in base/: the
// layers above share immutable values (base/published.h) and hand work over bounded queues.
#pragma once

#include <condition_variable>
#include <mutex>

#define DRAY_GUARDED_BY(mutex) __attribute__((guarded_by(mutex)))
#define DRAY_REQUIRES(mutex) __attribute__((requires_capability(mutex)))

namespace dray {

class __attribute__((capability("mutex"))) Mutex {
 public:
  void Lock() __attribute__((acquire_capability())) { mutex_.lock(); }
  void Unlock() __attribute__((release_capability())) { mutex_.unlock(); }

 private:
  friend class Condition;
  std::mutex mutex_;
};

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

/// A condition to wait for while holding a Mutex.
class Condition {
 public:
  void Wait(Mutex& mutex) DRAY_REQUIRES(mutex) {
    std::unique_lock lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace dray
