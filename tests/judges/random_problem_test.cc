// SPDX-License-Identifier: Apache-2.0
#include "tests/judges/random_problem.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include <gtest/gtest.h>

#include "tests/judges/engines.h"
#include "tests/judges/problem_json.h"

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

/// A family in which nearly all problems have an answer, or nearly none has, tests little.
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

/// Counts the features that a problem and its answer use.
void CountUse(const Problem& problem,
              const allocator::Allocation& allocation,
              std::map<std::string, int>& uses) {
  for (const auto& slice : problem.slices) {
    const auto& spec = slice->spec;
    uses["counters"] += spec.shared_counters.empty() ? 0 : 1;
    uses["choice of nodes by device"] += spec.per_device_node_selection.value_or(false) ? 1 : 0;
    for (const auto& device : spec.devices) {
      for (const auto& consumption : device.consumes_counters)
        uses["groups"] += consumption.compatibility_groups.empty() ? 0 : 1;
      for (const auto& [name, attribute] : device.attributes)
        uses["lists"] += attribute.strings.empty() ? 0 : 1;
      for (const auto& [name, capacity] : device.capacity)
        uses["policies"] += capacity.request_policy.has_value() ? 1 : 0;
    }
  }
  for (const auto& claim : problem.claims) {
    for (const auto& constraint : claim->spec.devices.constraints)
      ++uses[constraint.match_attribute.has_value() ? "match" : "distinct"];
    for (const auto& request : claim->spec.devices.requests) {
      if (!request.exactly.has_value()) continue;
      uses["all devices"] += request.exactly->allocation_mode == "All" ? 1 : 0;
      uses["derived"] += request.exactly->derived_attributes.empty() ? 0 : 1;
    }
  }
  for (const auto& result : allocation.results) {
    uses["node selector"] += result.node_selector.has_value() ? 1 : 0;
    uses["config"] += result.devices.config.empty() ? 0 : 1;
    for (const auto& device : result.devices.results) {
      uses["alternatives"] += device.request.contains('/') ? 1 : 0;
      uses["a later alternative"] += device.request.ends_with("/s1") ? 1 : 0;
      uses["admin access"] += device.admin_access.has_value() ? 1 : 0;
      uses["shares"] += device.share_id.has_value() ? 1 : 0;
      uses["tolerations"] += device.tolerations.empty() ? 0 : 1;
      uses["binding conditions"] += device.binding_conditions.empty() ? 0 : 1;
      uses["skipped operations"] += device.skip_node_operations.empty() ? 0 : 1;
    }
  }
}

/// Some problem with an answer uses each feature.
TEST(RandomProblem, EveryFeatureIsUsed) {
  std::map<std::string, int> uses;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Problem problem = RandomProblem(seed);
    const Result<allocator::Outcome> outcome =
        RunLiteral(problem, problem.nodes.front(), {.steps_max = 20'000});
    if (!outcome || !std::holds_alternative<allocator::Allocation>(*outcome)) continue;
    CountUse(problem, std::get<allocator::Allocation>(*outcome), uses);
  }
  EXPECT_EQ(uses.size(), 18U);
  for (const auto& [feature, count] : uses) EXPECT_GE(count, 5) << feature;
}

TEST(ProblemJson, MalformedLinesAreErrors) {
  for (const std::string_view line :
       {"",
        "[]",
        "{}",
        R"({"id":1})",
        R"({"id":"a","features":["Unheard"],"nodes":[],"classes":[],"slices":[],"claims":[]})",
        (R"({"id":"a","features":[],"nodes":[],"classes":[],"slices":[],"claims":[],)"
         R"("allocated":{"devices":["a/b"]}})"),
        R"({"id":"a","features":[],"nodes":[],"classes":[],"slices":[],"claims":[{"spec":1}]})"}) {
    EXPECT_FALSE(DecodeProblem(line)) << line;
  }
}

}  // namespace
}  // namespace dray::judges
