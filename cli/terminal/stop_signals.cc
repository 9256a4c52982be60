// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/stop_signals.h"

#include <array>
#include <ctime>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

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

bool StopSignals::WaitUnless(const Descriptor& woken) const {
  const Descriptor signals(signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.is_open() || !woken.is_open()) return false;
  std::array<pollfd, 2> waiting = {{{.fd = woken.get(), .events = POLLIN, .revents = 0},
                                    {.fd = signals.get(), .events = POLLIN, .revents = 0}}};
  while (true) {
    if (poll(waiting.data(), waiting.size(), -1) < 0) continue;  // interrupted
    if (waiting.front().revents != 0) return false;
    signalfd_siginfo taken{};
    if (read(signals.get(), &taken, sizeof(taken)) == sizeof(taken)) return true;
  }
}

}  // namespace dray::cli::inline terminal
