// SPDX-License-Identifier: Apache-2.0
// Pauses of one length for requests under way, kept by one thread.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <thread>

#include "base/mutex.h"
#include "base/result.h"
#include "base/world.h"

namespace dray::control_plane {

/// Safe from any thread. A request waits for one pause at a time, so the limits of requests under
/// way bound how many there are.
class Pauses {
 public:
  using Resume = std::function<void(Result<>)>;

  /// Starts the thread. The clock outlives it.
  Pauses(const Clock& clock, std::chrono::nanoseconds length);
  ~Pauses() { Close(); }
  Pauses(const Pauses&) = delete;
  Pauses& operator=(const Pauses&) = delete;

  /// Calls `resume` once: after the pause, on the thread of this class, which must not wait; or
  /// when Close ends the pause.
  void Begin(Resume resume);
  /// Ends all pauses, and later ones at once; waits for the thread.
  void Close();

 private:
  struct Pause {
    MonotonicTime end;
    Resume resume;
  };

  void Run();

  const Clock& clock_;
  const std::chrono::nanoseconds length_;
  Mutex mutex_;
  Condition changed_;
  std::deque<Pause> pauses_ DRAY_GUARDED_BY(mutex_);  // in the order of their ends
  bool is_closed_ DRAY_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace dray::control_plane
