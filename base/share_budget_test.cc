// SPDX-License-Identifier: Apache-2.0
#include "base/share_budget.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace dray {
namespace {

using Claim = ShareBudget::Claim;

Frozen<ShareOwner> Owner(std::string name, ShareRank rank = ShareRank::kUsual) {
  return std::make_shared<const ShareOwner>(ShareOwner{.name = std::move(name), .rank = rank});
}

TEST(ShareBudget, IsExact) {
  const auto budget = std::make_shared<ShareBudget>(ShareLimits::WholeOf(100));
  Claim first(budget, nullptr), second(budget, nullptr);
  EXPECT_TRUE(first.Resize(60));
  EXPECT_FALSE(second.Resize(41));
  EXPECT_EQ(second.amount(), 0U);
  EXPECT_TRUE(second.Resize(40));
  EXPECT_FALSE(first.Resize(61));
  EXPECT_EQ(first.amount(), 60U);
  EXPECT_TRUE(first.Resize(10));
  EXPECT_EQ(budget->held(), 50U);
  EXPECT_FALSE(first.Resize(SIZE_MAX));
  EXPECT_EQ(budget->held(), 50U);
}

TEST(ShareBudget, OneOwnerHasHisShareAndNoMore) {
  const auto budget = std::make_shared<ShareBudget>(ShareLimits::EighthsOf(800));
  Claim one(budget, Owner("a")), more(budget, Owner("a")), other(budget, Owner("b"));
  EXPECT_TRUE(one.Resize(60));
  EXPECT_FALSE(more.Resize(41));
  EXPECT_TRUE(more.Resize(40));
  EXPECT_FALSE(one.Resize(61));
  EXPECT_EQ(budget->HeldBy("a"), 100U);
  EXPECT_TRUE(other.Resize(100)) << "others notice nothing";
  one.Release();
  EXPECT_TRUE(more.Resize(100)) << "what is given back can be taken again";
  EXPECT_FALSE(more.Resize(101));
}

TEST(ShareBudget, ThereIsAlwaysSomethingForWhoComesNext) {
  const auto budget = std::make_shared<ShareBudget>(ShareLimits::EighthsOf(800'000));
  std::vector<Claim> claims;
  for (int i = 0; i < 16; ++i) {
    Claim& claim = claims.emplace_back(budget, Owner(std::to_string(i)));
    ASSERT_TRUE(claim.Resize(1));
    for (size_t step = size_t{1} << 20U; step > 0; step /= 2) {
      if (claim.Resize(claim.amount() + step)) step *= 2;  // as much as is available
    }
    EXPECT_GT(claim.amount(), 0U) << i;
    EXPECT_LE(claim.amount(), 100'000U) << i;
  }
}

TEST(ShareBudget, TheReserveIsForThoseWhoKeepTheClusterGoing) {
  const auto budget =
      std::make_shared<ShareBudget>(ShareLimits{.total = 100, .share = 100, .reserve = 20});
  std::vector<Claim> claims;
  const auto take_all = [&](ShareRank rank) {
    for (size_t i = 0;; ++i) {
      Claim claim(budget, Owner(std::to_string(claims.size()), rank));
      if (!claim.Resize(1)) return i;
      claims.push_back(std::move(claim));
    }
  };
  EXPECT_EQ(take_all(ShareRank::kUsual), 80U);
  EXPECT_EQ(take_all(ShareRank::kSystem), 10U);
  Claim master(budget, Owner("m", ShareRank::kExempt));
  EXPECT_FALSE(master.Resize(11));
  EXPECT_TRUE(master.Resize(10));
  EXPECT_EQ(budget->held(), 100U);
}

TEST(ShareBudget, OneLargeThingMayPassTheShareWhereOthersHaveRoom) {
  const auto budget = std::make_shared<ShareBudget>(ShareLimits::EighthsOf(800));
  Claim large(budget, Owner("a"));
  EXPECT_FALSE(large.Resize(351)) << "more than is left then";
  EXPECT_TRUE(large.Resize(350));
  EXPECT_FALSE(large.Resize(351));
  EXPECT_FALSE(Claim(budget, Owner("a")).Resize(1));
  EXPECT_TRUE(Claim(budget, Owner("b")).Resize(1));
}

TEST(ShareBudget, ASmallOneStillHasOneForEach) {
  const auto budget = std::make_shared<ShareBudget>(ShareLimits::EighthsOf(2));
  Claim first(budget, Owner("a")), second(budget, Owner("b")), third(budget, Owner("c"));
  EXPECT_TRUE(first.Resize(1));
  EXPECT_FALSE(first.Resize(2));
  EXPECT_TRUE(second.Resize(1));
  EXPECT_FALSE(third.Resize(1));
}

TEST(ShareBudget, ClaimsAreGivenBack) {
  const auto budget = std::make_shared<ShareBudget>(ShareLimits::WholeOf(100));
  {
    Claim claim(budget, Owner("a"));
    EXPECT_TRUE(claim.Resize(50));
    Claim moved = std::move(claim);
    EXPECT_EQ(moved.amount(), 50U);
    EXPECT_EQ(budget->held(), 50U);
    EXPECT_TRUE(moved.Resize(0));
    EXPECT_EQ(budget->HeldBy("a"), 0U);
    EXPECT_TRUE(moved.Resize(20));
    moved = Claim();
  }
  EXPECT_EQ(budget->held(), 0U);
  EXPECT_EQ(budget->HeldBy("a"), 0U);
  Claim unlimited;
  EXPECT_TRUE(unlimited.Resize(SIZE_MAX));
}

TEST(ShareBudget, HoldsForSeveralThreads) {
  const auto budget = std::make_shared<ShareBudget>(ShareLimits::EighthsOf(1000));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, owner = Owner(std::to_string(i / 2))] {
      Claim claim(budget, owner);
      for (size_t k = 0; k < 10'000; ++k) {
        claim.Resize(k % 200);
        EXPECT_LE(claim.amount(), 125U);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(budget->held(), 0U);
}

}  // namespace
}  // namespace dray
