// SPDX-License-Identifier: Apache-2.0
#include "cli/interruption.h"

#include <csignal>
#include <cstdlib>

#include <pthread.h>

namespace dray::cli {
namespace {

constexpr int kInterrupted = 128 + SIGINT;  // as a shell says it

}  // namespace

Interruption::Interruption() : watcher_([this] { Watch(); }) {}

Interruption::~Interruption() {
  is_over_ = true;
  pthread_kill(watcher_.native_handle(), SIGINT);  // which it takes, and sees why
  watcher_.join();
}

void Interruption::Watch() {
  signals_.Wait();
  if (is_over_) return;
  came_ = true;
  signals_.Wait();
  if (!is_over_) std::_Exit(kInterrupted);
}

}  // namespace dray::cli
