// SPDX-License-Identifier: Apache-2.0
#include "tests/serving/activity.h"

#include <atomic>
#include <semaphore>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace dray::serving {
namespace {

TEST(Activity, AThreadThatComputesIsSeenAndOneThatWaitsIsIdle) {
  std::atomic<bool> is_over = false;
  std::binary_semaphore computes{0}, go_on{0};
  std::jthread thread([&] {
    NameThread("computes");
    computes.release();
    while (!is_over) continue;
    go_on.acquire();
  });
  computes.acquire();
  EXPECT_FALSE(IsIdle(::getpid()));
  EXPECT_FALSE(IsIdle(::getpid(), "computes"));
  EXPECT_TRUE(IsIdle(::getpid(), "another"));
  is_over = true;
  while (!IsIdle(::getpid(), "computes")) std::this_thread::yield();
  go_on.release();
}

TEST(Activity, ThreadsInheritTheNameOfWhoBeganThem) {
  std::atomic<bool> is_over = false;
  std::jthread first([&] {
    NameThread("first");
    const std::jthread second([&] {
      while (!is_over) continue;
    });
  });
  while (IsIdle(::getpid(), "first")) std::this_thread::yield();
  is_over = true;
}

}  // namespace
}  // namespace dray::serving
