// SPDX-License-Identifier: Apache-2.0
#include "base/testing/failing_memory.h"

#include <memory>
#include <new>
#include <thread>

#include <gtest/gtest.h>

namespace dray::testing {
namespace {

TEST(FailingMemory, FailsOnceAfterSoManySuccesses) {
  if (!WhyAllocationsSucceed().empty()) GTEST_SKIP() << WhyAllocationsSucceed();
  for (int successes = 0; successes < 3; ++successes) {
    FailAllocationAfter(successes);
    for (int i = 0; i < successes; ++i) EXPECT_NO_THROW(std::make_unique<int>(i));
    EXPECT_FALSE(TakeAllocationFailed());
    EXPECT_THROW(std::make_unique<int>(0), std::bad_alloc);
    EXPECT_NO_THROW(std::make_unique<int>(0));
    EXPECT_TRUE(TakeAllocationFailed());
    EXPECT_FALSE(TakeAllocationFailed());
  }
}

TEST(FailingMemory, LeavesOutWhatIsNotCounted) {
  if (!WhyAllocationsSucceed().empty()) GTEST_SKIP() << WhyAllocationsSucceed();
  FailAllocationAfter(0);
  {
    const AllocationsNotCounted not_counted;
    EXPECT_NO_THROW(std::make_unique<int>(0));
  }
  EXPECT_EQ(AllocationsLeft(), 0);
  FailAllocationAfter(-1);
}

TEST(FailingMemory, IsOfOneThread) {
  if (!WhyAllocationsSucceed().empty()) GTEST_SKIP() << WhyAllocationsSucceed();
  bool other_failed = true;
  {
    std::jthread other([&] {
      EXPECT_EQ(AllocationsLeft(), -1);
      const auto number = std::make_unique<int>(0);
      other_failed = TakeAllocationFailed();
    });
    FailAllocationAfter(0);
    other.join();
    FailAllocationAfter(-1);
  }
  EXPECT_FALSE(other_failed);
}

}  // namespace
}  // namespace dray::testing
