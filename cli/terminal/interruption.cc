// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/interruption.h"

#include <csignal>
#include <cstdlib>

#include <pthread.h>

#include "cli/terminal/output.h"

namespace dray::cli::inline terminal {
namespace {

static_assert(kExitInterrupted == 128 + SIGINT);

}  // namespace

Interruption::Interruption() : watcher_([this] { Watch(); }) {}

Interruption::~Interruption() {
  is_over_ = true;
  pthread_kill(watcher_.native_handle(), SIGINT);  // wakes the watcher, which then sees is_over_
  watcher_.join();
}

void Interruption::Watch() {
  signals_.Wait();
  if (is_over_) return;
  came_ = true;
  signals_.Wait();
  if (!is_over_) std::_Exit(kExitInterrupted);
}

}  // namespace dray::cli::inline terminal
