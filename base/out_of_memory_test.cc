// SPDX-License-Identifier: Apache-2.0
#include "base/out_of_memory.h"

#include <new>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dray {
namespace {

void Throw() {
  throw std::bad_alloc();
}

TEST(OutOfMemory, WorkThatFindsNoneEndsEarly) {
  bool is_reached = false;
  EXPECT_TRUE(RanOutOfMemory([&] {
    Throw();
    is_reached = true;
  }));
  EXPECT_FALSE(is_reached);
  EXPECT_FALSE(RanOutOfMemory([&] { is_reached = true; }));
  EXPECT_TRUE(is_reached);
}

TEST(OutOfMemoryDeathTest, UncaughtItEndsTheProcessWithOneLine) {
  const auto on_a_thread = [] {
    EndOutOfMemoryWhenUncaught();
    std::thread(Throw).join();
  };
  EXPECT_DEATH(on_a_thread(), "^dray: out of memory: the process ends[^\n]*\n$");
}

TEST(OutOfMemoryDeathTest, OtherExceptionsAreNamed) {
  const auto on_a_thread = [] {
    EndOutOfMemoryWhenUncaught();
    std::thread([] { throw std::runtime_error("other"); }).join();
  };
  EXPECT_DEATH(on_a_thread(), "runtime_error");
}

}  // namespace
}  // namespace dray
