// SPDX-License-Identifier: Apache-2.0
// The environments in which servers of different releases and gates compile expressions.
#include "server/registry/profile_expressions.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "cel/library/regex.h"

namespace dray::server::registry {
namespace {

using api::Release;
using api::validation::Expression;
using api::validation::ExpressionProblem;
using api::validation::ExpressionRole;
using api::validation::Origin;

// The result as "cost N", "too complex", "invalid: …" or "internal: …", without the caret form.
std::string Verdict(const api::Profile& profile, const Expression& expression) {
  const auto cost = ProfileExpressions(profile).Check(expression);
  if (cost.has_value()) return "cost " + std::to_string(*cost);
  const std::string detail = cost.error().detail.substr(0, cost.error().detail.find('\n'));
  switch (cost.error().kind) {
    case ExpressionProblem::Kind::kInvalid: return "invalid: " + detail;
    case ExpressionProblem::Kind::kTooCostly: return "too complex";
    case ExpressionProblem::Kind::kInternal: return "internal: " + detail;
  }
  return {};
}

std::string Selector(Release release, std::string_view text, Origin origin = Origin::kNew) {
  return Verdict(api::Profile::Of(release), {.text = text, .origin = origin});
}

TEST(ProfileExpressions, EstimateSince132) {
  constexpr std::string_view kQuantities =
      "quantity(device.driver) != quantity('1')";  // of unknown size
  EXPECT_EQ(Selector(Release::kNewest, "device.driver == 'a'"), "cost 3");
  EXPECT_EQ(Selector(Release::k1_32, kQuantities), "too complex");
  EXPECT_EQ(Selector(Release::k1_31, kQuantities), "cost 0");
}

TEST(ProfileExpressions, StoredOnesMayUseMore) {
  constexpr std::string_view kSorted = "[2, 1].sort() == [1, 2]";  // since 1.34
  EXPECT_EQ(Selector(Release::k1_34, kSorted).substr(0, 8), "invalid:");
  EXPECT_EQ(Selector(Release::k1_34, kSorted, Origin::kStored).substr(0, 5), "cost ");
  EXPECT_EQ(Selector(Release::k1_35, kSorted).substr(0, 5), "cost ");
}

// Each expression may have large patterns, but the sum of an object's is limited.
TEST(ObjectExpressions, ShareABudgetForPatterns) {
  const ProfileExpressions profile(api::Profile::Of(Release::kNewest));
  constexpr std::string_view kLarge = "'a'.matches('\\\\pL{90}')";
  size_t one = 0;
  ASSERT_TRUE(profile.Check({.text = kLarge, .patterns = &one}).has_value());
  EXPECT_GT(one, 100'000U);
  const ObjectExpressions object(profile);
  for (size_t left = kObjectPatternsMax; left > 0; left -= std::min(left, one)) {
    EXPECT_TRUE(object.Check({.text = kLarge}).has_value());
  }
  const auto refused = object.Check({.text = "true"});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().detail,
            "the regular expressions of this object are too large together");
}

// Patterns of refused expressions count, too, because they were compiled.
TEST(ObjectExpressions, CountWhatWasCompiledInVain) {
  const ProfileExpressions profile(api::Profile::Of(Release::kNewest));
  size_t patterns = 0;
  EXPECT_FALSE(profile.Check({.text = "'a'.matches('\\\\pL{1000}')", .patterns = &patterns}));
  EXPECT_EQ(patterns, cel::library::kExpressionPatternsMax);
  patterns = 0;
  EXPECT_FALSE(profile.Check({.text = "no", .patterns = &patterns}));
  EXPECT_EQ(patterns, 0U);
}

TEST(ProfileExpressions, GatesDecideAboutFields) {
  const Expression shared = {.text = "device.allowMultipleAllocations"};
  api::Profile profile = {Release::k1_34, api::FeatureGates::DefaultsOf(Release::k1_34)};
  EXPECT_EQ(Verdict(profile, shared),
            "invalid: compilation failed: ERROR: <input>:1:7: undefined field "
            "'allowMultipleAllocations'");
  profile.gates = api::FeatureGates::AllOf(Release::k1_34);
  EXPECT_EQ(Verdict(profile, shared), "cost 2");
}

TEST(ProfileExpressions, RolesHaveResultsOfTheirOwn) {
  const api::Profile newest = api::Profile::Of(Release::kNewest);
  EXPECT_EQ(Verdict(newest, {.text = "device.driver"}),
            "invalid: must evaluate to bool or the unknown type, not string");
  EXPECT_EQ(Verdict(newest, {.text = "device.driver", .role = ExpressionRole::kDerivedAttribute}),
            "cost 2");
}

std::string NamedResources(std::string_view text) {
  return Verdict(api::Profile::Of(Release::k1_30),
                 {.text = text, .role = ExpressionRole::kNamedResources});
}

TEST(ProfileExpressions, NamedResourcesHaveAttributesByType) {
  EXPECT_EQ(NamedResources("attributes.quantity['m'].isGreaterThan(quantity('1Gi')) && "
                           "attributes.stringslice['s'].exists(x, x == 'a') && "
                           "attributes.version['v'].compareTo(semver('1.0.0')) > 0"),
            "cost 0");
  EXPECT_EQ(NamedResources("attributes.string['a']"), "invalid: must evaluate to bool");
  EXPECT_EQ(NamedResources("attributes.float['a'] == 1.0"),
            "invalid: compilation failed: ERROR: <input>:1:1: undeclared reference to 'attributes' "
            "(in container '')");
  EXPECT_EQ(NamedResources("device.driver == 'a'"),
            "invalid: compilation failed: ERROR: <input>:1:1: undeclared reference to 'device' (in "
            "container '')");
}

}  // namespace
}  // namespace dray::server::registry
