// SPDX-License-Identifier: Apache-2.0
#include "allocator/search/flow.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "allocator/search/conflict_set.h"

namespace dray::allocator::search {
namespace {

/// Tries every way to hand out the elements from `element` on.
bool TryAll(std::vector<Demand>& demands, uint64_t shared, size_t element, size_t elements) {
  if (element == elements)
    return std::ranges::all_of(demands, [](const Demand& d) { return d.need <= 0; });
  if ((shared & BitMask(element)) != 0) {
    std::vector<Demand> served = demands;
    for (Demand& demand : served)
      if (HasBit(demand.from, element)) --demand.need;
    return TryAll(served, shared, element + 1, elements);
  }
  if (TryAll(demands, shared, element + 1, elements)) return true;
  for (Demand& demand : demands) {
    if (!HasBit(demand.from, element)) continue;
    --demand.need;
    const bool works = TryAll(demands, shared, element + 1, elements);
    ++demand.need;
    if (works) return true;
  }
  return false;
}

TEST(Flow, SaysWhatTryingEverythingSays) {
  uint64_t random = 7;
  const auto next = [&](uint64_t below) {
    random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return (random >> 33U) % below;
  };
  int possible = 0;
  Work work(Work::kUnlimited);
  for (int round = 0; round < 2000; ++round) {
    const size_t elements = 1 + next(7);
    std::vector<Demand> demands(1 + next(4));
    for (Demand& demand : demands)
      demand = {.need = static_cast<int64_t>(next(4)), .from = {next(uint64_t{1} << elements)}};
    const Words shared{next(4) == 0 ? next(uint64_t{1} << elements) : 0};
    const bool expected = TryAll(demands, shared[0], 0, elements);
    ASSERT_EQ(EnoughForAll(demands, shared, work), expected) << "round " << round;
    if (expected) ++possible;
  }
  EXPECT_GT(possible, 200);
  EXPECT_LT(possible, 1800);
}

TEST(Flow, LooksAtSoManyDemandsAndNoMore) {
  Work work(Work::kUnlimited);
  std::vector<Demand> demands(kDemandsMax, {.need = 1, .from = {1}});
  EXPECT_FALSE(EnoughForAll(demands, {}, work));
  demands.push_back(demands.back());
  EXPECT_TRUE(EnoughForAll(demands, {}, work)) << "no proof, hence no refusal";
}

TEST(ConflictSet, LateLevelsCountAsOne) {
  constexpr size_t kLast = ConflictSet::kLevels - 1;
  ConflictSet conflict;
  conflict.Add(kLast - 1);
  EXPECT_FALSE(conflict.Has(kLast));
  conflict.Add(kLast + 100);
  EXPECT_TRUE(conflict.Has(kLast));
  conflict.Remove(kLast);  // stands for others too
  EXPECT_TRUE(conflict.Has(kLast + 5));
  conflict.Remove(kLast - 1);
  EXPECT_FALSE(conflict.Has(kLast - 1));
  ConflictSet all;
  all.AddAllBefore(kLast + 3);
  EXPECT_TRUE(all.Has(0) && all.Has(kLast - 1) && all.Has(kLast));
}

}  // namespace
}  // namespace dray::allocator::search
