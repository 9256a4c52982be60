// SPDX-License-Identifier: Apache-2.0
#include "custom/schema/pattern.h"

#include <string>

#include <gtest/gtest.h>

namespace dray::custom::schema {
namespace {

TEST(Pattern, MatchesAnywhere) {
  PatternBudget budget;
  const Pattern pattern("b+", budget);
  EXPECT_TRUE(*pattern.Matches("abbc"));
  EXPECT_FALSE(*pattern.Matches("ac"));
  EXPECT_GT(pattern.WorkOf("abbc"), 4U);
  EXPECT_TRUE(*Pattern("^$", budget).Matches(""));
}

TEST(Pattern, IsCompiledWhenItIsUsed) {
  PatternBudget budget;
  const Pattern pattern("(a|b)", budget);
  EXPECT_EQ(budget.instructions_left, kSchemaPatternsMax);
  ASSERT_TRUE(pattern.Matches("a"));
  const size_t left = budget.instructions_left;
  EXPECT_LT(left, kSchemaPatternsMax);
  ASSERT_TRUE(pattern.Matches("c"));
  EXPECT_EQ(budget.instructions_left, left);
}

TEST(Pattern, SaysWhatIsWrong) {
  PatternBudget budget;
  const Pattern pattern("(", budget);
  const Result<bool> matched = pattern.Matches("");
  ASSERT_FALSE(matched);
  EXPECT_EQ(matched.error().message, "error parsing regexp: missing closing ): `(`");
}

TEST(Pattern, BudgetIsShared) {
  PatternBudget budget;
  budget.instructions_left = 40;
  EXPECT_TRUE(Pattern("abc", budget).Matches("abc"));
  EXPECT_TRUE(Pattern("abc", budget).Matches("abc"));
  EXPECT_EQ(budget.instructions_left, 0U);
  EXPECT_FALSE(Pattern("abc", budget).Matches("abc"));
}

}  // namespace
}  // namespace dray::custom::schema
