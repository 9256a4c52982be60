// SPDX-License-Identifier: Apache-2.0
// The search with proofs gives the answers of the literal search: every byte, every error.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "allocator/inventory/inventory.h"
#include "allocator/search/options.h"
#include "api/core_v1/node.h"
#include "dray/allocator.h"
#include "dray/snapshot.h"
#include "tests/judges/engines.h"
#include "tests/judges/family.h"
#include "tests/judges/problem_json.h"
#include "tests/judges/random_problem.h"
#include "tests/soak.h"

namespace dray::judges {
namespace {

using allocator::search::SearchOptions;

Result<allocator::Outcome> Literal(const Problem& problem, const api::core_v1::Node& node) {
  return RunLiteral(problem, node, {.steps_max = 20'000});
}

Engine Fast(SearchOptions options) {
  return [options](const Problem& problem, const api::core_v1::Node& node) {
    return RunFast(problem, node, options, {.steps_max = 1'000'000});
  };
}

void ExpectAgreement(SearchOptions search,
                     uint64_t first_seed,
                     uint64_t count,
                     const ProblemOptions& problems) {
  const Comparison comparison = Compare(Literal, Fast(search), first_seed, count, problems);
  EXPECT_FALSE(comparison.smallest.has_value()) << comparison.smallest->ToString();
  ::testing::Test::RecordProperty("compared", static_cast<int>(comparison.compared));
  ::testing::Test::RecordProperty("undecided", static_cast<int>(comparison.undecided));
}

TEST(EnginesAgree, OnAllFamilies) {
  ExpectAgreement({}, 1, Instances(5000), {});
}

TEST(EnginesAgree, WhicheverImplementationIsPicked) {
  using enum allocator::Implementation;
  for (const auto implementation : {kStable, kIncubating, kExperimental})
    ExpectAgreement({}, 1, Instances(400), {.implementation = implementation});
}

/// One attempt answers for all nodes, and equal nodes are searched once. The answers stay the same.
TEST(EnginesAgree, InOneAttemptForAllNodes) {
  const uint64_t count = Instances(300);
  for (uint64_t seed = 1; seed <= count; ++seed) {
    const Problem problem = RandomProblem(seed, {.nodes_max = 6, .devices_max = 8});
    const allocator::Snapshot snapshot(
        {.features = problem.features}, problem.slices, problem.classes, problem.allocated);
    const allocator::Attempt attempt(snapshot, problem.claims);
    for (const api::core_v1::Node& node : problem.nodes) {
      const std::string alone =
          Render(RunFast(problem, node, {.node_sharing = false}, {.steps_max = 1'000'000}));
      ASSERT_EQ(Render(attempt.Allocate(node, {.steps_max = 1'000'000})), alone)
          << node.metadata.name << " of " << EncodeProblem(problem);
    }
  }
}

/// Small enough for the literal search, and large enough that it tries many sets.
TEST(EnginesAgree, NearTheLimit) {
  for (const std::string_view family : {"symmetric", "tight", "mixed", "partitionable"}) {
    ExpectAgreement(
        {}, 1, Instances(100), {.family = FindFamily(family), .nodes_max = 1, .devices_max = 16});
  }
}

/// Each proof prunes only branches without a solution, so answers are the same without it.
TEST(EnginesAgree, WithoutEachProof) {
  constexpr std::array kProofs = {&SearchOptions::symmetry,
                                  &SearchOptions::counting,
                                  &SearchOptions::flow,
                                  &SearchOptions::value_groups,
                                  &SearchOptions::distinct_values,
                                  &SearchOptions::counter_bounds,
                                  &SearchOptions::capacity_bounds,
                                  &SearchOptions::early_refutation,
                                  &SearchOptions::no_goods,
                                  &SearchOptions::backjumping,
                                  &SearchOptions::decomposition,
                                  &SearchOptions::node_sharing,
                                  &SearchOptions::optimism};
  uint64_t seed = 1'000'000;
  for (const auto proof : kProofs) {
    SearchOptions options;
    options.*proof = false;
    ExpectAgreement(options, seed, Instances(100), {.nodes_max = 1});
    seed += 1'000'000;
  }
}

}  // namespace
}  // namespace dray::judges
