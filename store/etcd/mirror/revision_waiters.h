// SPDX-License-Identifier: Apache-2.0
// Callbacks that wait until the mirror has reached a revision.
//
// Safe from any thread. A callback runs on the thread that makes it due (the caller of WaitFor,
// Reach, ExpireWaits or Close), with no lock held, and must not take long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

#include "base/mutex.h"
#include "base/strong.h"
#include "base/world.h"

namespace dray::store::etcd::mirror {

enum class WaitOutcome : uint8_t {
  kReached,   // the revision is visible, and subscribers have been woken
  kTimedOut,  // not before the deadline
  kClosing,
};

class RevisionWaiters {
 public:
  using Callback = std::move_only_function<void(WaitOutcome)>;

  explicit RevisionWaiters(Revision reached) : reached_(reached) {}

  /// Calls back once: now if `revision` has been reached (then it returns true), else later.
  bool WaitFor(Revision revision, MonotonicTime deadline, Callback callback);

  /// The mirror has reached `revision`: calls back those who waited for it or an earlier one.
  void Reach(Revision revision);

  /// Calls back with kTimedOut those whose deadline is not after `now`; returns their number.
  size_t ExpireWaits(MonotonicTime now);

  /// Calls back with kClosing all who wait, and from now on every WaitFor.
  void Close();

  Revision reached() const;
  bool someone_waits() const;

 private:
  struct Waiting {
    MonotonicTime deadline;
    Callback callback;
  };
  using Waits = std::multimap<Revision, Waiting>;

  /// One that finds no memory does not keep the others waiting.
  static void CallBack(Waits& due, WaitOutcome how);

  mutable Mutex mutex_;
  Revision reached_ DRAY_GUARDED_BY(mutex_);
  bool closing_ DRAY_GUARDED_BY(mutex_) = false;
  Waits waiting_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::store::etcd::mirror
