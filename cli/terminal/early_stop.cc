// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/early_stop.h"

#include <cstdlib>

#include <sys/eventfd.h>

#include "cli/terminal/output.h"

namespace dray::cli::inline terminal {

EarlyStop::EarlyStop(const StopSignals& signals)
    : signals_(signals), woken_(eventfd(0, EFD_CLOEXEC)), watcher_([this] { Watch(); }) {}

EarlyStop::~EarlyStop() {
  End();
}

bool EarlyStop::End() {
  {
    const MutexLock lock(mutex_);
    is_over_ = true;
    changed_.NotifyAll();
  }
  if (watcher_.joinable()) {
    if (woken_.is_open()) eventfd_write(woken_.get(), 1);
    watcher_.join();
  }
  return came();
}

void EarlyStop::Watch() {
  if (!signals_.WaitUnless(woken_)) return;
  came_ = true;
  const MutexLock lock(mutex_);
  while (!is_over_) {
    if (!changed_.WaitFor(mutex_, kEndsWithin)) break;
  }
  // What was answered is in the store, which no end of the process harms.
  if (!is_over_) std::_Exit(kExitYes);
}

}  // namespace dray::cli::inline terminal
