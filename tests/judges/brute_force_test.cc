// SPDX-License-Identifier: Apache-2.0
// Tests of the judges, with errors to which they must object. A judge that never objects proves
// nothing.
#include "tests/judges/brute_force.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/judges/engines.h"
#include "tests/judges/problem_json.h"
#include "tests/judges/random_problem.h"

namespace dray::judges {
namespace {

using allocator::Allocation;
using allocator::Outcome;
using allocator::Unsatisfiable;
using ::testing::HasSubstr;

/// One pool of the node "n"; a class "c" for every device; one claim.
Problem Small(std::string_view devices, std::string_view claim, std::string_view more = "") {
  const Result<Problem> problem = DecodeProblem(fmt::format(
      R"({{"id":"small","features":["AdminAccess","ConsumableCapacity","DeviceTaints",)"
      R"("PartitionableDevices","PrioritizedList"],"nodes":[{{"name":"n"}}],)"
      R"("classes":[{{"metadata":{{"name":"c"}},"spec":{{}}}}],)"
      R"("slices":[{{"metadata":{{"name":"s"}},"spec":{{"driver":"d","nodeName":"n",)"
      R"("pool":{{"name":"p","generation":1,"resourceSliceCount":1}},"devices":{}}}}}],)"
      R"("claims":[{{"metadata":{{"name":"a"}},"spec":{{"devices":{}}}}}]{}}})",
      devices,
      claim,
      more));
  EXPECT_TRUE(problem) << problem.error().message;
  return *problem;
}

std::string Ask(int count) {
  return fmt::format(R"({{"requests":[{{"name":"r","exactly":{{"deviceClassName":"c",)"
                     R"("allocationMode":"ExactCount","count":{}}}}}]}})",
                     count);
}

Outcome Give(std::initializer_list<std::string_view> devices) {
  Allocation allocation;
  allocation.results.emplace_back();
  auto& result = allocation.results.back();
  for (const std::string_view device : devices) {
    result.devices.results.push_back(
        {.request = "r", .driver = "d", .pool = "p", .device = std::string(device)});
  }
  result.node_selector.emplace();
  result.node_selector->node_selector_terms.push_back(
      {.match_fields = {{.key = "metadata.name", .operator_ = "In", .values = {"n"}}}});
  return allocation;
}

std::string Objection(const Problem& problem, const Result<Outcome>& outcome) {
  const Judgement judgement = JudgeOutcome(problem, problem.nodes.front(), outcome);
  EXPECT_EQ(judgement.unknown, "");
  return judgement.objection;
}

constexpr std::string_view kTwo = R"([{"name":"x"},{"name":"y"}])";

TEST(BruteForce, TheFirstAllocationIsRight) {
  const Problem problem = Small(kTwo, Ask(1));
  EXPECT_EQ(Objection(problem, Give({"x"})), "");
  EXPECT_THAT(Objection(problem, Give({"y"})), HasSubstr("the first allocation"));
}

TEST(BruteForce, WhatIsThereMustBeFound) {
  EXPECT_THAT(Objection(Small(kTwo, Ask(2)), Unsatisfiable{}), HasSubstr("there is an allocation"));
  EXPECT_EQ(Objection(Small(kTwo, Ask(3)), Unsatisfiable{}), "");
}

TEST(BruteForce, CountsAreExact) {
  EXPECT_THAT(Objection(Small(kTwo, Ask(2)), Give({"x"})), HasSubstr("other devices than wanted"));
  EXPECT_THAT(Objection(Small(kTwo, Ask(1)), Give({"x", "y"})),
              HasSubstr("other devices than wanted"));
  EXPECT_THAT(Objection(Small(kTwo, Ask(1)), Give({"z"})), HasSubstr("cannot be seen"));
}

TEST(BruteForce, WhatIsTakenIsNotGiven) {
  const Problem problem = Small(kTwo, Ask(1), R"(,"allocated":{"devices":["d/p/x"]})");
  EXPECT_THAT(Objection(problem, Give({"x"})), HasSubstr("does not suit"));
  EXPECT_EQ(Objection(problem, Give({"y"})), "");
}

TEST(BruteForce, TaintsKeepAway) {
  const Problem problem =
      Small(R"([{"name":"x","taints":[{"key":"k","effect":"NoSchedule"}]},{"name":"y"}])", Ask(1));
  EXPECT_THAT(Objection(problem, Give({"x"})), HasSubstr("does not suit"));
  EXPECT_EQ(Objection(problem, Give({"y"})), "");
}

TEST(BruteForce, ConstraintsHold) {
  const Problem problem = Small(
      R"([{"name":"x","attributes":{"a":{"int":1}}},{"name":"y","attributes":{"a":{"int":2}}},)"
      R"({"name":"z","attributes":{"a":{"int":1}}}])",
      R"({"requests":[{"name":"r","exactly":{"deviceClassName":"c","allocationMode":"ExactCount",)"
      R"("count":2}}],"constraints":[{"matchAttribute":"d/a"}]})");
  EXPECT_THAT(Objection(problem, Give({"x", "y"})), HasSubstr("constraint"));
  EXPECT_EQ(Objection(problem, Give({"x", "z"})), "");
  EXPECT_THAT(Objection(problem, Unsatisfiable{}), HasSubstr("there is an allocation"));
}

TEST(BruteForce, ErrorsNeedACause) {
  const Result<Outcome> error = Fail(StatusReason::kInvalid, "no");
  EXPECT_THAT(Objection(Small(kTwo, Ask(1)), error), HasSubstr("without cause"));
  EXPECT_EQ(Objection(Small(kTwo, Ask(33)), error), "");
  EXPECT_THAT(Objection(Small(kTwo, Ask(33)), Unsatisfiable{}), HasSubstr("no error"));
}

/// Calls `visit` with many problems, a node and the literal allocator's answer, which allocates at
/// least one device.
template <class Visit>
void ForEachAllocation(Visit visit) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const Problem problem = RandomProblem(seed, {.nodes_max = 1, .devices_max = 7});
    const Result<Outcome> outcome =
        RunLiteral(problem, problem.nodes.front(), {.steps_max = 20'000});
    if (!outcome || !std::holds_alternative<Allocation>(*outcome)) continue;
    const auto& allocation = std::get<Allocation>(*outcome);
    for (size_t i = 0; i < allocation.results.size(); ++i) {
      if (!allocation.results[i].devices.results.empty()) visit(problem, allocation, i);
    }
  }
}

/// Any change makes a right answer wrong.
TEST(BruteForce, ChangedAnswersAreObjectedTo) {
  int changed = 0;
  const auto expect_objection = [&](const Problem& problem, const Allocation& allocation) {
    const Result<Question> question = Read(problem, problem.nodes.front());
    ASSERT_TRUE(question) << question.error().message;
    EXPECT_NE(Check(*question, allocation), "") << EncodeProblem(problem);
    ++changed;
  };
  ForEachAllocation([&](const Problem& problem, const Allocation& right, size_t claim) {
    Allocation wrong = right;
    wrong.results[claim].devices.results.pop_back();
    expect_objection(problem, wrong);
    wrong = right;
    wrong.results[claim].devices.results.push_back(right.results[claim].devices.results.back());
    expect_objection(problem, wrong);
    wrong = right;
    auto& first = wrong.results[claim].devices.results.front();
    first.admin_access = first.admin_access.has_value() ? std::nullopt : std::optional(true);
    expect_objection(problem, wrong);
    wrong = right;
    wrong.results[claim].devices.results.front().consumed_capacity["memory"] =
        *api::Quantity::Parse("77");
    expect_objection(problem, wrong);
    wrong = right;
    wrong.results[claim].node_selector.emplace();
    wrong.results[claim].node_selector->node_selector_terms.push_back(
        {.match_expressions = {{.key = "zone", .operator_ = "In", .values = {"elsewhere"}}}});
    expect_objection(problem, wrong);
  });
  EXPECT_GT(changed, 500);
}

}  // namespace
}  // namespace dray::judges
