// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/interruption.h"

#include <csignal>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace dray::cli::inline terminal {
namespace {

TEST(Interruption, ASignalSetsTheFlagAndTheProgramGoesOn) {
  const Interruption interruption;
  EXPECT_FALSE(interruption.came());
  kill(getpid(), SIGINT);
  while (!interruption.came()) std::this_thread::yield();
  EXPECT_TRUE(interruption.flag().load());
}

TEST(Interruption, EndsWithoutASignal) {
  const Interruption interruption;
  EXPECT_FALSE(interruption.came());
}

}  // namespace
}  // namespace dray::cli::inline terminal
