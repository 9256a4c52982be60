// SPDX-License-Identifier: Apache-2.0
// Cases that the random problems of tests/judges/explanation_test.cc lack.
#include "planning/explain/explanation.h"

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace dray::planning::inline explain {
namespace {

TEST(Explanation, TellsOfGroupsAndTheFirstSuggestionInOneLine) {
  Explanation explanation;
  explanation.groups = {
      {.trouble = Trouble::kTooFew,
       .claim = "a/b",
       .request = "gpu",
       .step = Step::kInUse,
       .nodes = {"x", "y"},
       .wanted = 2,
       .usable = 1,
       .left = 1},
      {.trouble = Trouble::kObjection, .objection = "node(s) were unschedulable", .nodes = {"z"}}};
  explanation.suggestions = {{.text = "take back claim c/d"}};
  EXPECT_EQ(OneLine(explanation),
            "2 nodes: request gpu wants 2; at most 1 is free; 1 node: node(s) were "
            "unschedulable; it would help to take back claim c/d");
}

TEST(Explanation, EndsAtTheLimitAndNotInsideACharacter) {
  Explanation explanation{.refusal = std::string(kEventBytesMax, 'x')};
  EXPECT_EQ(OneLine(explanation), explanation.refusal);
  explanation.refusal = std::string(kEventBytesMax - 4, 'x') + "…xx";
  EXPECT_EQ(OneLine(explanation), std::string(kEventBytesMax - 4, 'x') + "...");
  explanation.refusal = "first\nsecond";
  EXPECT_EQ(OneLine(explanation), "first");
}

TEST(Minimal, IsWhatNothingCanBeTakenFrom) {
  const std::set<size_t> needed = {3, 4, 61};
  size_t asked = 0;
  const auto has_all = [&](std::span<const size_t> places) {
    ++asked;
    const std::set<size_t> kept(places.begin(), places.end());
    for (const size_t place : needed) {
      if (!kept.contains(place)) return false;
    }
    return true;
  };
  EXPECT_EQ(Minimal(64, has_all), (std::vector<size_t>{3, 4, 61}));
  EXPECT_LT(asked, 64U);
  EXPECT_EQ(Minimal(0, has_all), std::vector<size_t>());
}

TEST(NodeFunnel, IsTooNarrowAtTheFirstStepThatLeavesTooFew) {
  NodeFunnel funnel{.wanted = 2};
  EXPECT_EQ(funnel.bottleneck(), Step::kElsewhere);
  funnel.counts[static_cast<size_t>(Step::kTaints)] = 3;
  funnel.counts[static_cast<size_t>(Step::kUsable)] = 1;
  EXPECT_EQ(funnel.bottleneck(), Step::kTaints);
  EXPECT_EQ(funnel.missing(), 1);
  funnel.wanted = 1;
  EXPECT_EQ(funnel.bottleneck(), Step::kUsable);
}

}  // namespace
}  // namespace dray::planning::inline explain
