// SPDX-License-Identifier: Apache-2.0
// Who waits for the mirror to reach a revision.
//
// Safe from any thread. Those who wait are told on the thread that brings the news, with no lock
// held, and must not take long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

#include "base/mutex.h"
#include "base/strong.h"
#include "base/world.h"

namespace dray::store::etcd {

enum class Arrival : uint8_t {
  kReached,  // it is visible, and has been announced
  kTooLate,  // not until the deadline
  kClosing,
};

class Arrivals {
 public:
  using Tell = std::move_only_function<void(Arrival)>;

  explicit Arrivals(Revision reached) : reached_(reached) {}

  /// Tells at once if `revision` has been reached. Returns whether it has.
  bool WaitFor(Revision revision, MonotonicTime deadline, Tell tell);

  /// The mirror has come to `revision`.
  void Reach(Revision revision);

  /// Tells those whose deadline is not after `now`; returns their number.
  size_t GiveUp(MonotonicTime now);

  /// Tells all who wait, and whoever comes later.
  void Close();

  Revision reached() const;
  bool someone_waits() const;

 private:
  struct Waiting {
    MonotonicTime deadline;
    Tell tell;
  };

  mutable Mutex mutex_;
  Revision reached_ DRAY_GUARDED_BY(mutex_);
  bool closing_ DRAY_GUARDED_BY(mutex_) = false;
  std::multimap<Revision, Waiting> waiting_ DRAY_GUARDED_BY(mutex_);
};

}  // namespace dray::store::etcd
