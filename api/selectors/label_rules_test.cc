// SPDX-License-Identifier: Apache-2.0
#include "api/selectors/label_rules.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "api/selectors/label_selector.h"

namespace dray::api::inline selectors {
namespace {

// NOLINTNEXTLINE(cert-msc51-cpp): the same each time
using Chance = std::mt19937;

std::string Pick(Chance& chance, std::initializer_list<std::string_view> from) {
  return std::string(from.begin()[chance() % from.size()]);
}

std::string RandomKey(Chance& chance) {
  return Pick(chance, {"a", "b", "c", "d"});
}

std::string RandomValue(Chance& chance) {
  return Pick(chance, {"", "x", "y", "z", "1", "5", "9"});
}

LabelRequirement RandomRequirement(Chance& chance) {
  const auto make = [](std::string_view key, LabelOperator op, std::vector<std::string> values) {
    return LabelRequirement::Create(key, op, std::move(values)).value();
  };
  const std::string key = RandomKey(chance);
  switch (chance() % 8) {
    case 0: return make(key, LabelOperator::kIn, {RandomValue(chance), RandomValue(chance), "w"});
    case 1: return make(key, LabelOperator::kNotIn, {RandomValue(chance), RandomValue(chance)});
    case 2: return make(key, LabelOperator::kEquals, {RandomValue(chance)});
    case 3: return make(key, LabelOperator::kNotEquals, {RandomValue(chance)});
    case 4: return make(key, LabelOperator::kExists, {});
    case 5: return make(key, LabelOperator::kDoesNotExist, {});
    case 6: return make(key, LabelOperator::kGreaterThan, {Pick(chance, {"0", "4"})});
    default: return make(key, LabelOperator::kLessThan, {Pick(chance, {"6", "10"})});
  }
}

TEST(LabelRules, SayWhatTheRequirementsSayOneByOne) {
  Chance chance(7);  // NOLINT(cert-msc51-cpp): the same each time
  size_t matched = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<LabelRequirement> requirements;
    for (size_t i = 0, size = chance() % 5; i < size; ++i) {
      requirements.push_back(RandomRequirement(chance));
    }
    Labels labels;
    for (size_t i = 0, size = chance() % 7; i < size; ++i) {
      labels.insert_or_assign(RandomKey(chance), RandomValue(chance));
    }
    const bool all = std::ranges::all_of(
        requirements, [&](const LabelRequirement& one) { return one.Matches(labels); });
    matched += all ? 1 : 0;
    std::string text;
    for (const LabelRequirement& one : requirements) text += one.ToString() + "; ";
    ASSERT_EQ(LabelRules(requirements).Match(labels), all) << text;
  }
  EXPECT_GT(matched, 1000U) << "both answers occur";
}

TEST(LabelRules, ACopyOfALongSelectorSelectsTheSame) {
  std::string text = "z in (b,c)";
  for (int i = 0; i < 900; ++i) text += ",k" + std::to_string(i) + "!=a";
  const auto selector = LabelSelector::Parse(text);
  ASSERT_TRUE(selector.has_value());
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy must select the same.
  const LabelSelector copy = *selector;
  EXPECT_TRUE(copy.Matches({{"z", "b"}}));
  EXPECT_TRUE(copy.Matches({{"z", "c"}, {"k899", "b"}}));
  EXPECT_FALSE(copy.Matches({{"z", "c"}, {"k899", "a"}}));
  EXPECT_FALSE(copy.Matches({{"z", "d"}}));
  EXPECT_FALSE(copy.Matches({}));
  EXPECT_EQ(copy, *selector);
}

}  // namespace
}  // namespace dray::api::inline selectors
