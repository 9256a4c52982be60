// SPDX-License-Identifier: Apache-2.0
// Properties of the allocator's answers to random problems.
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "tests/judges/brute_force.h"
#include "tests/judges/engines.h"
#include "tests/judges/problem_json.h"
#include "tests/judges/random_problem.h"
#include "tests/judges/shrink.h"
#include "tests/soak.h"

namespace dray::judges {
namespace {

Judgement JudgeLiteral(const Problem& problem, const api::core_v1::Node& node) {
  return JudgeOutcome(
      problem, node, RunLiteral(problem, node, {.steps_max = 20'000}), {.sets_max = 5'000});
}

/// The objection, with a shrunk problem that shows it too.
std::string Explain(const Problem& problem, const std::string& objection) {
  const Problem small = Shrink(problem, [](const Problem& smaller) {
    for (const api::core_v1::Node& node : smaller.nodes) {
      if (!JudgeLiteral(smaller, node).objection.empty()) return true;
    }
    return false;
  });
  return fmt::format("{}: {}\nmade small: {}", problem.id, objection, EncodeProblem(small));
}

void ExpectSoundAndComplete(uint64_t wanted,
                            std::optional<allocator::Implementation> implementation) {
  const ProblemOptions small = {.implementation = implementation,
                                .nodes_max = 2,
                                .devices_max = 9,
                                .claims_max = 3,
                                .requests_max = 3};
  uint64_t judged = 0;
  std::map<std::string, uint64_t> unknown;
  for (uint64_t seed = 1; judged < wanted; ++seed) {
    const Problem problem = RandomProblem(seed, small);
    for (const api::core_v1::Node& node : problem.nodes) {
      const Judgement judgement = JudgeLiteral(problem, node);
      ASSERT_EQ(judgement.objection, "") << Explain(problem, judgement.objection);
      ++(judgement.unknown.empty() ? judged : unknown[judgement.unknown]);
    }
  }
  uint64_t skipped = 0;
  for (const auto& [reason, count] : unknown) {
    skipped += count;
    ::testing::Test::RecordProperty(reason, static_cast<int>(count));
  }
  ::testing::Test::RecordProperty("judged", static_cast<int>(judged));
  EXPECT_LT(skipped, judged / 2) << "too many instances are not judged";
}

/// Sound: an allocation obeys every rule. Complete: if an allocation exists, the search finds one,
/// and it is the first in the order of decisions.
TEST(AllocatorProperty, LiteralSearchIsSoundAndComplete) {
  ExpectSoundAndComplete(Instances(1000), std::nullopt);
}

TEST(AllocatorProperty, SoundAndCompleteInEveryImplementation) {
  using enum allocator::Implementation;
  for (const auto implementation : {kStable, kIncubating, kExperimental})
    ExpectSoundAndComplete(Instances(300), implementation);
}

}  // namespace
}  // namespace dray::judges
