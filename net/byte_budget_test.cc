// SPDX-License-Identifier: Apache-2.0
#include "net/byte_budget.h"

#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace dray::net {
namespace {

TEST(ByteBudget, IsExact) {
  const auto budget = std::make_shared<ByteBudget>(100);
  ByteBudget::Share first(budget), second(budget);
  EXPECT_TRUE(first.Resize(60));
  EXPECT_FALSE(second.Resize(41));
  EXPECT_EQ(second.bytes(), 0U);
  EXPECT_TRUE(second.Resize(40));
  EXPECT_FALSE(first.Resize(61));
  EXPECT_EQ(first.bytes(), 60U);
  EXPECT_TRUE(first.Resize(10));
  EXPECT_EQ(budget->held(), 50U);
  EXPECT_FALSE(first.Resize(SIZE_MAX));
  EXPECT_EQ(budget->held(), 50U);
}

TEST(ByteBudget, SharesAreGivenBack) {
  const auto budget = std::make_shared<ByteBudget>(100);
  {
    ByteBudget::Share share(budget);
    EXPECT_TRUE(share.Resize(100));
    ByteBudget::Share moved = std::move(share);
    EXPECT_EQ(moved.bytes(), 100U);
    EXPECT_EQ(budget->held(), 100U);
    moved = ByteBudget::Share();
  }
  EXPECT_EQ(budget->held(), 0U);
  ByteBudget::Share unlimited;
  EXPECT_TRUE(unlimited.Resize(SIZE_MAX));
}

TEST(ByteBudget, HoldsForSeveralThreads) {
  const auto budget = std::make_shared<ByteBudget>(1000);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      ByteBudget::Share share(budget);
      for (size_t k = 0; k < 10'000; ++k) {
        share.Resize(k % 400);
        EXPECT_LE(share.bytes(), 400U);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(budget->held(), 0U);
}

}  // namespace
}  // namespace dray::net
