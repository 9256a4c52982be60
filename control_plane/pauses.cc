// SPDX-License-Identifier: Apache-2.0
#include "control_plane/pauses.h"

#include <utility>

namespace dray::control_plane {

Pauses::Pauses(const Clock& clock, std::chrono::nanoseconds length)
    : clock_(clock), length_(length), thread_([this] { Run(); }) {}

void Pauses::Begin(Resume resume) {
  {
    const MutexLock lock(mutex_);
    if (!is_closed_) {
      pauses_.push_back({.end = clock_.Monotonic() + length_, .resume = std::move(resume)});
      changed_.NotifyOne();
      return;
    }
  }
  resume({});
}

void Pauses::Close() {
  {
    const MutexLock lock(mutex_);
    is_closed_ = true;
    changed_.NotifyOne();
  }
  if (thread_.joinable()) thread_.join();
}

void Pauses::Run() {
  while (true) {
    Resume resume;
    {
      const MutexLock lock(mutex_);
      while (!is_closed_ && pauses_.empty()) changed_.Wait(mutex_);
      if (pauses_.empty()) return;
      const auto left = pauses_.front().end - clock_.Monotonic();
      if (!is_closed_ && left.count() > 0) {
        changed_.WaitFor(mutex_, left);
        continue;
      }
      resume = std::move(pauses_.front().resume);
      pauses_.pop_front();
    }
    resume({});
  }
}

}  // namespace dray::control_plane
