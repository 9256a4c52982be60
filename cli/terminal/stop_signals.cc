// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/stop_signals.h"

#include <ctime>

namespace dray::cli::inline terminal {

StopSignals::StopSignals() {
  sigemptyset(&set_);
  sigaddset(&set_, SIGINT);
  sigaddset(&set_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
}

std::string_view StopSignals::Wait() const {
  int signal = 0;
  sigwait(&set_, &signal);
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

bool StopSignals::WaitFor(std::chrono::nanoseconds at_most) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(at_most);
  const timespec wait{.tv_sec = seconds.count(), .tv_nsec = (at_most - seconds).count()};
  return sigtimedwait(&set_, nullptr, &wait) > 0;
}

}  // namespace dray::cli::inline terminal
