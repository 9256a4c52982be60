// SPDX-License-Identifier: Apache-2.0
#include "server/policies/check_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/simulated_world.h"
#include "server/testing/fixture.h"

namespace dray::server::policies {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CheckMetrics, FailuresHaveUpstreamsWords) {
  EXPECT_EQ(ErrorTypeOf(""), "no_error");
  EXPECT_EQ(ErrorTypeOf("compilation error: x"), "compile_error");
  EXPECT_EQ(ErrorTypeOf("validation failed due to running out of cost budget, no further"),
            "out_of_budget");
  EXPECT_EQ(ErrorTypeOf("failed expression: false"), "invalid_error");
}

struct WithRegistry {
  metrics::Registry registry;
};

class MeasuredPolicies : private WithRegistry, public testing::ServerTest {
 protected:
  MeasuredPolicies() : ServerTest(verbs::Options{.metrics = &registry}) {}

  std::string Text() { return registry.Text(); }
  void Make(std::string_view plural, std::string body) {
    EXPECT_THAT(Post(plural, "", std::move(body)), HasSubstr("201 "));
  }
};

constexpr const char* kRules =
    R"("resourceRules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["CREATE"],)"
    R"("resources":["configmaps"]}])";

TEST_F(MeasuredPolicies, RulesThatDenyAreCountedByAction) {
  Make("validatingadmissionpolicies",
       std::string(R"({"metadata":{"name":"p"},"spec":{"matchConstraints":{)") + kRules +
           R"(},"validations":[{"expression":"false"},{"expression":"true"}]}})");
  Make(
      "validatingadmissionpolicybindings",
      R"({"metadata":{"name":"b"},"spec":{"policyName":"p","validationActions":["Warn","Audit"]}})");
  Post("configmaps", "default", R"({"metadata":{"name":"a"}})");
  EXPECT_THAT(
      Text(),
      AllOf(HasSubstr(
                R"(apiserver_validating_admission_policy_check_total{enforcement_action="warn",)"
                R"(error_type="invalid_error",policy="p",policy_binding="b"} 1)"),
            HasSubstr(R"(enforcement_action="audit")"),
            HasSubstr("apiserver_validating_admission_policy_check_duration_seconds_count"),
            Not(HasSubstr(R"(enforcement_action="deny")"))));
}

TEST_F(MeasuredPolicies, MutationsAreCounted) {
  Make("mutatingadmissionpolicies",
       std::string(R"({"metadata":{"name":"p"},"spec":{"matchConstraints":{)") + kRules +
           R"(},"reinvocationPolicy":"Never","failurePolicy":"Ignore","mutations":[)"
           R"({"patchType":"JSONPatch","jsonPatch":{"expression":)"
           R"("[JSONPatch{op: 'add', path: '/data', value: {'a': 'b'}}]"}},)"
           R"({"patchType":"JSONPatch","jsonPatch":{"expression":)"
           R"("[JSONPatch{op: 'add', path: '/x/y', value: 1}]"}}]}})");
  Make("mutatingadmissionpolicybindings", R"({"metadata":{"name":"b"},"spec":{"policyName":"p"}})");
  Post("configmaps", "default", R"({"metadata":{"name":"a"}})");
  EXPECT_THAT(
      Text(),
      AllOf(HasSubstr(R"(apiserver_mutating_admission_policy_check_total{error_type="no_error",)"
                      R"(policy="p",policy_binding="b"} 1)"),
            HasSubstr(R"(apiserver_mutating_admission_policy_check_total{)"
                      R"(error_type="invalid_error",policy="p",policy_binding="b"} 1)")));
}

}  // namespace
}  // namespace dray::server::policies
