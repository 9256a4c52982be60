// SPDX-License-Identifier: Apache-2.0
#include "controllers/policy_types.h"

#include <string>

#include <gtest/gtest.h>

#include "base/simulated_world.h"
#include "client/testing/memory_client.h"

namespace dray::controllers {
namespace {

namespace admission = api::admissionregistration_v1;
using admission::ValidatingAdmissionPolicy;

class PolicyTypesTest : public ::testing::Test {
 protected:
  ValidatingAdmissionPolicy Now() {
    for (int i = 0; i < 10; ++i) controller_.Step();
    const api::Object policy =
        *client_.Get({&api::Reflected<ValidatingAdmissionPolicy>::kKind, "", "p"});
    return policy.As<ValidatingAdmissionPolicy>();
  }
  std::vector<admission::ExpressionWarning> Check(const ValidatingAdmissionPolicy& policy) {
    ++checks_;
    if (policy.spec.validations.front().expression == "true") return {};
    admission::ExpressionWarning warning;
    warning.field_ref = "spec.validations[0].expression";
    warning.warning = "wrong";
    return {warning};
  }
  void Write(int64_t generation, const std::string& expression) {
    ValidatingAdmissionPolicy policy = Now();
    policy.metadata.generation = generation;
    policy.spec.validations.front().expression = expression;
    ASSERT_TRUE(client_.Update(api::Object::Of(std::move(policy)), "").has_value());
  }

  int checks_ = 0;
  SimulatedWorld world_{1};
  client::testing::MemoryClient client_;
  Wakeup wakeup_;
  client::SharedInformers informers_{client_, world_.world().clock, wakeup_, Log::Silent()};
  PolicyTypes controller_{
      client_,
      world_.world(),
      informers_,
      Log::Silent(),
      [this](const ValidatingAdmissionPolicy& policy) { return Check(policy); }};
};

TEST_F(PolicyTypesTest, EachGenerationIsCheckedOnce) {
  ValidatingAdmissionPolicy policy;
  policy.metadata.name = "p";
  policy.metadata.generation = 1;
  policy.spec.validations.emplace_back().expression = "object.none";
  ASSERT_TRUE(client_.Create(api::Object::Of(std::move(policy))).has_value());
  const ValidatingAdmissionPolicy wrong = Now();
  EXPECT_EQ(wrong.status.observed_generation, 1);
  ASSERT_TRUE(wrong.status.type_checking.has_value());
  ASSERT_EQ(wrong.status.type_checking->expression_warnings.size(), 1U);
  EXPECT_EQ(wrong.status.type_checking->expression_warnings[0].warning, "wrong");
  EXPECT_EQ(checks_, 1);
  Write(2, "true");
  EXPECT_EQ(Now().status.observed_generation, 2);
  EXPECT_TRUE(Now().status.type_checking->expression_warnings.empty());
  EXPECT_EQ(checks_, 2);
}

}  // namespace
}  // namespace dray::controllers
