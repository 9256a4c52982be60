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
  kTimedOut,  // the revision was not reached before the deadline
  kClosing,
};

class RevisionWaiters {
 public:
  using Callback = std::move_only_function<void(WaitOutcome)>;

  explicit RevisionWaiters(Revision reached) : reached_(reached) {}

  /// Calls back once: now if `revision` has been reached (and returns true), else later.
  bool WaitFor(Revision revision, MonotonicTime deadline, Callback callback);

  /// To be called when the mirror has reached `revision`. Calls back the waits for it and for
  /// earlier revisions.
  void Reach(Revision revision);

  /// Calls back with kTimedOut the waits whose deadline is not after `now`; returns their number.
  size_t ExpireWaits(MonotonicTime now);

  /// Calls back all waits with kClosing, and every later WaitFor at once.
  void Close();

  Revision reached() const;
  bool someone_waits() const;

 private:
  struct Waiting {
    MonotonicTime deadline;
    Callback callback;
  };
  using Waits = std::multimap<Revision, Waiting>;

  /// If one callback throws bad_alloc, the others are still called.
  static void CallBack(Waits& due, WaitOutcome how);

  mutable Mutex mutex_;
  Revision reached_ DRAY_GUARDED_BY(mutex_);
  bool closing_ DRAY_GUARDED_BY(mutex_) = false;
  Waits waiting_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::store::etcd::mirror
