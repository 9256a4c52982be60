// SPDX-License-Identifier: Apache-2.0
#include "server/policies/type_checking.h"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/policies/kind_shapes.h"

namespace dray::server::policies {
namespace {

namespace v1 = api::admissionregistration_v1;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::unique_ptr<const custom::rules::Shape> ShapeOf(const api::KindInfo& kind) {
  return ShapeOfType(kind.type(), api::Release::kNewest);
}

v1::ValidatingAdmissionPolicy About(const std::string& resource, const std::string& expression) {
  v1::ValidatingAdmissionPolicy policy;
  v1::RuleWithOperations& rule =
      policy.spec.match_constraints.emplace().resource_rules.emplace_back().rule_with_operations;
  rule.operations = {"*"};
  rule.rule.api_groups = {"apps"};
  rule.rule.api_versions = {"v1"};
  rule.rule.resources = {resource};
  policy.spec.validations.emplace_back().expression = expression;
  return policy;
}

std::vector<v1::ExpressionWarning> Check(const v1::ValidatingAdmissionPolicy& policy) {
  static const api::Scheme kScheme;
  return CheckTypes(policy, kScheme, ShapeOf, api::Release::kNewest);
}

std::string OnlyWarning(const std::string& expression) {
  const auto warnings = Check(About("deployments", expression));
  return warnings.size() == 1 ? warnings[0].warning : fmt::format("{} warnings", warnings.size());
}

TEST(TypeCheckingTest, KnowsTheFieldsOfTheKind) {
  EXPECT_THAT(Check(About("deployments", "object.spec.replicas > 1")), IsEmpty());
  EXPECT_THAT(Check(About("deployments", "object.metadata.namespace == 'x'")), IsEmpty());
  EXPECT_EQ(OnlyWarning("object.spec.none > 1"),
            "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'none'\n"
            " | object.spec.none > 1\n"
            " | ...........^\n");
  EXPECT_THAT(OnlyWarning("oldObject.spec.replicas == 'x'"),
              HasSubstr("found no matching overload for '_==_' applied to '(int, string)'"));
}

TEST(TypeCheckingTest, QuantitiesHaveNoType) {
  EXPECT_THAT(OnlyWarning("has(object.spec.template.spec.containers[0].resources.limits)"),
              HasSubstr("undefined field 'limits'"));
  EXPECT_THAT(
      Check(About("deployments", "object.spec.template.spec.containers[0].ports.size() > 1")),
      IsEmpty());
}

TEST(TypeCheckingTest, VariablesHaveTypes) {
  v1::ValidatingAdmissionPolicy policy = About("deployments", "variables.n == 'x'");
  v1::Variable& variable = policy.spec.variables.emplace_back();
  variable.name = "n";
  variable.expression = "object.spec.replicas";
  EXPECT_THAT(Check(policy), SizeIs(1));
  policy.spec.validations[0].expression = "variables.n == 1";
  EXPECT_THAT(Check(policy), IsEmpty());
}

TEST(TypeCheckingTest, MessagesAreCheckedToo) {
  v1::ValidatingAdmissionPolicy policy = About("deployments", "true");
  policy.spec.validations[0].message_expression = "object.none";
  const auto warnings = Check(policy);
  ASSERT_THAT(warnings, SizeIs(1));
  EXPECT_EQ(warnings[0].field_ref, "spec.validations[0].messageExpression");
}

TEST(TypeCheckingTest, WildcardsAndSubresourcesArePassedOver) {
  EXPECT_THAT(Check(About("*", "object.none")), IsEmpty());
  EXPECT_THAT(Check(About("deployments/scale", "object.none")), IsEmpty());
  v1::ValidatingAdmissionPolicy policy = About("deployments", "object.none");
  policy.spec.match_constraints->resource_rules[0].rule_with_operations.rule.api_groups = {"*"};
  EXPECT_THAT(Check(policy), IsEmpty());
}

TEST(TypeCheckingTest, ParametersHaveTheTypesOfTheirKind) {
  v1::ValidatingAdmissionPolicy policy = About("deployments", "params.data.x == 1");
  v1::ParamKind& kind = policy.spec.param_kind.emplace();
  kind.api_version = "v1";
  kind.kind = "ConfigMap";
  EXPECT_THAT(Check(policy), SizeIs(1));
  policy.spec.validations[0].expression = "params.data.x == 'y'";
  EXPECT_THAT(Check(policy), IsEmpty());
}

}  // namespace
}  // namespace dray::server::policies
