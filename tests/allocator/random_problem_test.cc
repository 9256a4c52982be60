// SPDX-License-Identifier: Apache-2.0
#include "tests/allocator/random_problem.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/allocator/engines.h"
#include "tests/allocator/problem_json.h"

namespace dray::judges {
namespace {

TEST(RandomProblem, TheSameSeedGivesTheSameProblem) {
  std::set<std::string> lines;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const std::string line = EncodeProblem(RandomProblem(seed));
    EXPECT_EQ(line, EncodeProblem(RandomProblem(seed)));
    lines.insert(line);
  }
  EXPECT_EQ(lines.size(), 50U);
}

TEST(RandomProblem, ComesBackFromJson) {
  for (const Family& family : Families()) {
    for (uint64_t seed = 0; seed < 10; ++seed) {
      const std::string line = EncodeProblem(RandomProblem(seed, {.family = &family}));
      const Result<Problem> back = DecodeProblem(line);
      ASSERT_TRUE(back) << back.error().message << ": " << line;
      EXPECT_EQ(EncodeProblem(*back), line);
    }
  }
}

TEST(RandomProblem, SizesAreKept) {
  const ProblemOptions options = {
      .nodes_max = 1, .devices_max = 4, .claims_max = 2, .requests_max = 2, .mistakes_percent = 0};
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Problem problem = RandomProblem(seed, options);
    EXPECT_EQ(problem.nodes.size(), 1U);
    EXPECT_LE(problem.claims.size(), 2U);
    for (const auto& claim : problem.claims) {
      EXPECT_GE(claim->spec.devices.requests.size(), 1U);
      EXPECT_LE(claim->spec.devices.requests.size(), 2U);
    }
  }
}

/// A family whose problems nearly all have an answer, or nearly all none, tests little.
TEST(RandomProblem, AnswersOfEveryFamilyDiffer) {
  for (const Family& family : Families()) {
    std::map<std::string, int> outcomes;
    constexpr int kCount = 60;
    for (uint64_t seed = 0; seed < kCount; ++seed) {
      const Problem problem = RandomProblem(seed, {.family = &family, .nodes_max = 1});
      const std::string answer =
          Render(RunLiteral(problem, problem.nodes.front(), {.steps_max = 20'000}));
      ++outcomes[answer.substr(0, answer.find_first_of(",}"))];
    }
    EXPECT_GE(outcomes[R"({"outcome":"allocated")"], kCount / 5) << family.name;
    EXPECT_GE(outcomes[R"({"outcome":"none")"], kCount / 5) << family.name;
  }
}

TEST(ProblemJson, MalformedLinesAreErrors) {
  for (const std::string_view line :
       {"",
        "[]",
        "{}",
        R"({"id":1})",
        R"({"id":"a","features":["Unheard"],"nodes":[],"classes":[],"slices":[],"claims":[]})",
        R"({"id":"a","features":[],"nodes":[],"classes":[],"slices":[],"claims":[],)"
        R"("allocated":{"devices":["a/b"]}})",
        R"({"id":"a","features":[],"nodes":[],"classes":[],"slices":[],"claims":[{"spec":1}]})"}) {
    EXPECT_FALSE(DecodeProblem(line)) << line;
  }
}

}  // namespace
}  // namespace dray::judges
