// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/keyed_selector.h"

#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/selectors/selector_of.h"

namespace dray::scheduler::inline cluster {
namespace {

using api::meta_v1::LabelSelector;

std::string OneOf(std::minstd_rand& random, std::string_view letters) {
  return std::string(1, letters[random() % letters.size()]);
}

LabelSelector AnySelector(std::minstd_rand& random) {
  LabelSelector selector;
  if (random() % 3 == 0) selector.match_labels[OneOf(random, "abc")] = OneOf(random, "xyz");
  const size_t expressions = random() % 6;
  for (size_t i = 0; i < expressions; ++i) {
    static const std::vector<std::string> kOperators = {"In", "NotIn", "Exists", "DoesNotExist"};
    auto& one = selector.match_expressions.emplace_back();
    one.key = OneOf(random, "abc");
    one.operator_ = kOperators[random() % kOperators.size()];
    if (!one.operator_.ends_with("In")) continue;
    for (size_t n = 1 + random() % 3; n > 0; --n) one.values.push_back(OneOf(random, "xyz"));
  }
  return selector;
}

// Few keys and values, so that requirements share keys and match labels.
TEST(KeyedSelector, MatchesWhatThePlainOneMatches) {
  std::minstd_rand random(7);
  int matched = 0;
  for (int round = 0; round < 20'000; ++round) {
    const api::Maybe<LabelSelector> selector = AnySelector(random);
    const KeyedSelector keyed(selector);
    const auto plain = api::SelectorOf(*selector);
    ASSERT_TRUE(plain.has_value());
    EXPECT_EQ(keyed.IsEverything(), plain->IsEverything());
    api::Labels labels;
    for (size_t n = random() % 6; n > 0; --n)
      labels[OneOf(random, "abcdef")] = OneOf(random, "xyz");
    ASSERT_EQ(keyed.Matches(labels), plain->Matches(labels)) << plain->ToString();
    if (keyed.Matches(labels)) ++matched;
  }
  EXPECT_GT(matched, 1000);
}

TEST(KeyedSelector, AbsentAndWrongOnesSelectNothing) {
  const api::Maybe<LabelSelector> absent;
  EXPECT_FALSE(KeyedSelector(absent).Matches({}));
  api::Maybe<LabelSelector> wrong = LabelSelector();
  wrong->match_expressions.push_back({.key = "a", .operator_ = "Near", .values = {}});
  EXPECT_TRUE(KeyedSelector(wrong).IsNothing());
  EXPECT_FALSE(KeyedSelector(wrong).Matches({}));
}

// The cost of a match depends on the pod's labels, not on the number of requirements.
TEST(KeyedSelector, CostsWhatTheLabelsAre) {
  api::Maybe<LabelSelector> selector = LabelSelector();
  for (int i = 0; i < 10'000; ++i) {
    selector->match_expressions.push_back(
        {.key = "k" + std::to_string(i), .operator_ = "DoesNotExist", .values = {}});
  }
  const KeyedSelector keyed(selector);
  api::Labels labels;
  labels["app"] = "web";
  EXPECT_TRUE(keyed.Matches(labels));
  EXPECT_LT(keyed.WorkOfMatching(labels), 1000U);
}

}  // namespace
}  // namespace dray::scheduler::inline cluster
