// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/engines.h"

#include <string>

#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "tests/judges/problem_json.h"
#include "tests/judges/random_problem.h"
#include "tests/judges/shrink.h"

namespace dray::judges {
namespace {

constexpr allocator::Budget kBudget = {.steps_max = 5'000};

Result<allocator::Outcome> LiteralAnswer(const Problem& problem, const api::core_v1::Node& node) {
  return RunLiteral(problem, node, kBudget);
}

TEST(Engines, AnEngineAgreesWithItself) {
  const Comparison comparison = Compare(LiteralAnswer, LiteralAnswer, 1, 100);
  EXPECT_FALSE(comparison.smallest.has_value());
  EXPECT_GT(comparison.compared, 100U);
  EXPECT_LT(comparison.undecided, 10U);
}

/// The comparison finds a defect of an engine, and shrinks the problem that shows it.
TEST(Engines, ADefectIsFoundAndMadeSmall) {
  const Engine without_taints = [](const Problem& problem, const api::core_v1::Node& node) {
    Problem other = problem;
    other.features.device_taints = false;
    return RunLiteral(other, node, kBudget);
  };
  const Comparison comparison =
      Compare(LiteralAnswer, without_taints, 1, 1000, {.family = FindFamily("taints")});
  ASSERT_TRUE(comparison.smallest.has_value());
  EXPECT_NE(comparison.smallest->first, comparison.smallest->second);
  const Result<Problem> small = DecodeProblem(comparison.smallest->problem);
  ASSERT_TRUE(small) << small.error().message;
  ASSERT_EQ(small->nodes.size(), 1U);
  EXPECT_NE(Render(LiteralAnswer(*small, small->nodes.front())),
            Render(without_taints(*small, small->nodes.front())));
  EXPECT_EQ(small->claims.size(), 1U);
  EXPECT_EQ(small->slices.size(), 1U);
  EXPECT_LE(comparison.smallest->problem.size(), 1500U) << comparison.smallest->ToString();
}

TEST(Engines, ShrinkKeepsWhatMatters) {
  const Problem problem = RandomProblem(5, {.family = FindFamily("mixed")});
  const auto has_class = [](const Problem& candidate) {
    for (const auto& device_class : candidate.classes) {
      if (device_class->metadata.name == "nic") return true;
    }
    return false;
  };
  const Problem small = Shrink(problem, has_class);
  EXPECT_TRUE(has_class(small));
  EXPECT_EQ(small.classes.size(), 1U);
  EXPECT_TRUE(small.slices.empty());
  EXPECT_TRUE(small.claims.empty());
}

}  // namespace
}  // namespace dray::judges
