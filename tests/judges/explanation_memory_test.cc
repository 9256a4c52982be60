// SPDX-License-Identifier: Apache-2.0
// A cached explanation equals a computed one: random problems, each asked about twice with claims
// of other names.
#include "planning/explain/explanation_memory.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "api/core_v1/node.h"
#include "api/resource_v1/claim.h"
#include "dray/selector.h"
#include "dray/snapshot.h"
#include "planning/explain/explanation.h"
#include "scheduler/cluster/devices.h"
#include "tests/judges/holder_claims.h"
#include "tests/judges/problem_json.h"
#include "tests/judges/random_problem.h"
#include "tests/soak.h"

namespace dray::judges {
namespace {

namespace v1 = api::resource_v1;

constexpr allocator::Budget kSearchBudget = {.steps_max = 100'000};

/// The claims with the names and uids of the second question.
planning::WantedClaims WithOtherNames(const planning::WantedClaims& claims) {
  planning::WantedClaims renamed;
  for (const auto& claim : claims) {
    v1::ResourceClaim other = *claim;
    other.metadata.name += "-other";
    other.metadata.uid += "-other";
    renamed.push_back(std::make_shared<const v1::ResourceClaim>(std::move(other)));
  }
  return renamed;
}

std::string TextOf(const planning::WantedClaims& claims) {
  std::string text;
  for (const auto& claim : claims)
    text += fmt::format(" {} {}", planning::KeyOf(*claim), claim->metadata.uid);
  return text;
}

/// All texts that name a claim, and enough of the rest to distinguish answers.
std::string TextOf(const planning::Explanation& explanation) {
  std::string text = fmt::format("{}\n{} nodes, closest {}, empty {}\n",
                                 explanation.refusal,
                                 explanation.nodes,
                                 explanation.closest,
                                 explanation.fits_when_empty);
  for (const planning::Funnel& funnel : explanation.funnels) {
    text += fmt::format(
        "funnel {} {} {}\n", funnel.claim, funnel.request, fmt::join(funnel.counts, " "));
  }
  for (const planning::NodeGroup& group : explanation.groups) {
    text += fmt::format("group {} {} {}: {}\n",
                        group.claim,
                        planning::ToString(group),
                        group.objection,
                        fmt::join(group.nodes, " "));
  }
  if (explanation.conflict.has_value()) {
    for (const planning::ConflictPart& part : explanation.conflict->parts)
      text += fmt::format("part {} {}\n", part.claim, part.name);
  }
  for (const planning::InTheWay& one : explanation.in_the_way)
    text += fmt::format("in the way {}\n", one.holder.claim);
  for (const planning::Suggestion& suggestion : explanation.suggestions) {
    text += fmt::format("suggestion {} on {}:{} |{}\n",
                        suggestion.text,
                        suggestion.node,
                        TextOf(suggestion.claims),
                        TextOf(suggestion.second_claims));
  }
  return text;
}

TEST(ExplanationMemory, SaysOfEqualClaimsWhatWouldBeFound) {
  constexpr uint64_t kUsual = 60;
  size_t suggestions = 0;
  for (uint64_t seed = 1; seed <= Instances(kUsual); ++seed) {
    const Problem problem =
        RandomProblem(seed, {.nodes_max = 4, .devices_max = 8, .claims_max = 2});
    SCOPED_TRACE(fmt::format("seed {}: {}", seed, EncodeProblem(problem)));
    const auto claims_of_holders = HoldersOf(problem.allocated);
    scheduler::TakenDevices taken(problem.features);
    for (const auto& claim : claims_of_holders) taken.SetClaim(claim->metadata.uid, claim.get());
    const allocator::Snapshot snapshot(
        {.features = problem.features}, problem.slices, problem.classes, taken.state());
    const planning::Holders holders(claims_of_holders);
    std::vector<planning::CandidateNode> nodes;
    for (const api::core_v1::Node& node : problem.nodes) nodes.push_back({.node = &node});
    const auto question = [&](const planning::WantedClaims& claims) {
      return planning::ExplanationQuestion{.snapshot = snapshot,
                                           .holders = holders,
                                           .claims = claims,
                                           .nodes = nodes,
                                           .budget = kSearchBudget};
    };
    planning::ExplanationMemory memory;
    EXPECT_EQ(TextOf(memory.Explain(question(problem.claims))),
              TextOf(planning::Explain(question(problem.claims))));
    const planning::WantedClaims others = WithOtherNames(problem.claims);
    const planning::Explanation remembered = memory.Explain(question(others));
    EXPECT_EQ(memory.size(), 1U);
    EXPECT_EQ(TextOf(remembered), TextOf(planning::Explain(question(others))));
    suggestions += remembered.suggestions.size();
    // Another objection makes another question.
    if (nodes.empty()) continue;
    nodes.front().objection = "node(s) were unschedulable";
    EXPECT_EQ(TextOf(memory.Explain(question(others))),
              TextOf(planning::Explain(question(others))));
    EXPECT_EQ(memory.size(), 2U);
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  EXPECT_GT(suggestions, kUsual / 4);
}

TEST(ExplanationMemory, ForgetsTheOldest) {
  const Problem problem = RandomProblem(1, {.nodes_max = 1, .devices_max = 2, .claims_max = 1});
  const allocator::Snapshot snapshot(
      {.features = problem.features}, problem.slices, problem.classes, {});
  const planning::Holders holders({});
  planning::ExplanationMemory memory;
  for (size_t i = 0; i <= planning::ExplanationMemory::kKnownMax; ++i) {
    const std::vector<planning::CandidateNode> nodes(
        1, {.node = problem.nodes.data(), .objection = fmt::format("objection {}", i)});
    (void)memory.Explain({.snapshot = snapshot,
                          .holders = holders,
                          .claims = problem.claims,
                          .nodes = nodes,
                          .budget = kSearchBudget});
  }
  EXPECT_EQ(memory.size(), planning::ExplanationMemory::kKnownMax);
  memory.Forget();
  EXPECT_EQ(memory.size(), 0U);
}

}  // namespace
}  // namespace dray::judges
