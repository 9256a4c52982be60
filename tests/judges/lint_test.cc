// SPDX-License-Identifier: Apache-2.0
// dray lint and the allocator: claims that fit on some node have no errors, except for selectors
// that would fail on other nodes.
#include "planning/lint/lint.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "allocator/selector_cache.h"
#include "api/resource_v1/claim.h"
#include "dray/outcome.h"
#include "dray/selector.h"
#include "tests/judges/engines.h"
#include "tests/judges/problem_json.h"
#include "tests/judges/random_problem.h"
#include "tests/soak.h"

namespace dray::judges {
namespace {

using planning::Finding;
using planning::LintRule;
using planning::LintSeverity;

bool Fits(const Problem& problem) {
  return std::ranges::any_of(problem.nodes, [&](const api::core_v1::Node& node) {
    const auto outcome = RunLiteral(problem, node, {.steps_max = 100'000});
    return outcome && std::holds_alternative<allocator::Allocation>(*outcome);
  });
}

std::vector<Finding> FindingsOf(const Problem& problem) {
  std::vector<planning::LintObject> objects;
  for (const auto& claim : problem.claims) {
    api::Object object = api::Object::Of(api::resource_v1::ResourceClaim(*claim));
    const api::KindInfo& kind = object.kind();
    objects.push_back({.object = std::move(object), .written = &kind});
  }
  const auto selectors = allocator::SelectorCacheFor(problem.features, 100);
  const planning::OfflineObjects cluster{.slices = problem.slices, .classes = problem.classes};
  return planning::Lint({.objects = objects,
                         .cluster = cluster,
                         .features = problem.features,
                         .selectors = *selectors});
}

TEST(LintProperty, CallsNothingAnErrorThatFits) {
  constexpr uint64_t kProblems = 600;
  uint64_t fitting = 0;
  uint64_t errors = 0;
  for (uint64_t seed = 1; seed <= Instances(kProblems); ++seed) {
    const Problem problem = RandomProblem(seed, {.nodes_max = 3, .devices_max = 10});
    const std::vector<Finding> findings = FindingsOf(problem);
    const bool fits = Fits(problem);
    if (fits) ++fitting;
    for (const Finding& finding : findings) {
      if (finding.severity != LintSeverity::kError) continue;
      ++errors;
      const bool is_about_others =
          finding.rule == LintRule::kFailingSelector || finding.rule == LintRule::kWrongType;
      EXPECT_TRUE(!fits || is_about_others)
          << "seed " << seed << ": " << finding.field << ": " << finding.why << "\n"
          << EncodeProblem(problem);
    }
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  EXPECT_GT(fitting, 100U);
  EXPECT_GT(errors, 20U);
}

}  // namespace
}  // namespace dray::judges
