// SPDX-License-Identifier: Apache-2.0
#include "server/policies/evaluation.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cel/eval/evaluator.h"
#include "cel/eval/meter.h"
#include "cel/value/make.h"
#include "server/policies/cel_values.h"

namespace dray::server::policies {
namespace {

namespace v1 = api::admissionregistration_v1;

// A text whose tenth part is a whole number, because the cost of contains() is counted in tenths.
constexpr size_t kTextSize = 10'000;

class EvaluationTest : public ::testing::Test {
 protected:
  EvaluationTest() {
    values_.object =
        ValueOfJson(fmt::format(R"({{"a":1,"text":"{}"}})", std::string(kTextSize, 'a')), arena_);
    values_.request = ValueOfJson(R"({"name":"n","operation":"CREATE"})", arena_);
  }

  PolicyResult Ask(v1::ValidatingAdmissionPolicy policy) {
    return Evaluate(CompilePolicy(std::move(policy), api::Release::kNewest), values_, arena_);
  }

  uint64_t CostOf(const std::string& expression) {
    const Compiled compiled =
        Compiler(api::Release::kNewest)
            .Compile(expression, Declared{}, ResultKind::kAnything, cel::ExpressionUse::kStored);
    EXPECT_TRUE(compiled.has_value()) << compiled.error().message;
    cel::eval::Meter meter(cel::kSelectorCostMax);
    const std::vector<cel::Value> variables = InOrder(values_, Declared{});
    (void)cel::eval::Evaluate(**compiled, variables, arena_, meter);
    return meter.spent();
  }

  // One that is true and costs exactly `wanted`.
  std::string Costing(uint64_t wanted) {
    constexpr uint64_t kContainsUnit = kTextSize / 10;
    const uint64_t units = wanted / kContainsUnit - 1;
    std::string expression =
        fmt::format("!object.text.contains('{}b')", std::string(units * 10 - 1, 'a'));
    const uint64_t cost = CostOf(expression);
    EXPECT_LT(cost, wanted);
    for (uint64_t i = cost; i < wanted; ++i) expression = "1 == 1 && " + expression;
    EXPECT_EQ(CostOf(expression), wanted);
    return expression;
  }

  static v1::ValidatingAdmissionPolicy Rules(const std::vector<std::string>& rules) {
    v1::ValidatingAdmissionPolicy policy;
    policy.spec.failure_policy = "Fail";
    for (const std::string& rule : rules) policy.spec.validations.emplace_back().expression = rule;
    return policy;
  }

  cel::Arena arena_;
  Variables values_;
};

constexpr const char* kSpent =
    "validation failed due to running out of cost budget, no further validation rules will be run";

TEST_F(EvaluationTest, RulesShareABudget) {
  std::vector<std::string> rules(kBudgetMax / cel::kSelectorCostMax,
                                 Costing(cel::kSelectorCostMax));
  EXPECT_TRUE(Ask(Rules(rules)).denials.empty());
  rules.emplace_back("1 == 1");
  const PolicyResult past = Ask(Rules(rules));
  ASSERT_EQ(past.denials.size(), 1U);
  EXPECT_EQ(past.denials[0].message, kSpent);
}

TEST_F(EvaluationTest, ConditionsHaveASmallerBudget) {
  v1::ValidatingAdmissionPolicy policy = Rules({"false"});
  const auto add = [&](const std::string& expression) {
    policy.spec.match_conditions.emplace_back().expression = expression;
  };
  const std::string whole = Costing(cel::kSelectorCostMax);
  add(whole);
  add(whole);
  add(Costing(kConditionsBudgetMax - 2 * cel::kSelectorCostMax));
  EXPECT_EQ(Ask(policy).denials.at(0).message, "failed expression: false");
  add("1 == 1");
  EXPECT_EQ(Ask(policy).denials.at(0).message, kSpent);
  policy.spec.failure_policy = "Ignore";
  EXPECT_TRUE(Ask(policy).denials.empty());
}

TEST_F(EvaluationTest, NamedExpressionsAreComputedOnceAndPaidForWhenUsed) {
  v1::ValidatingAdmissionPolicy policy =
      Rules({"variables.costly && variables.costly && variables.twice", "variables.costly"});
  auto& costly = policy.spec.variables.emplace_back();
  costly.name = "costly";
  costly.expression = Costing(cel::kSelectorCostMax);
  auto& twice = policy.spec.variables.emplace_back();
  twice.name = "twice";
  twice.expression = "variables.costly == true";
  for (int i = 0; i < 9; ++i) {
    policy.spec.validations.emplace_back().expression = "true || variables.costly";
  }
  EXPECT_TRUE(Ask(policy).denials.empty());
}

TEST_F(EvaluationTest, AMessageThatIsTooLongOrHasLinesIsReplaced) {
  struct Case {
    std::string made, want;
  };
  const std::string longest(kMessageBytesMax, 'm');
  for (const Case& one : {Case{"  said  ", "said"},
                          Case{"", "otherwise"},
                          Case{"a\\nb", "otherwise"},
                          Case{longest, longest},
                          Case{longest + "m", "otherwise"}}) {
    v1::ValidatingAdmissionPolicy policy = Rules({"object.a == 2"});
    policy.spec.validations[0].message = " otherwise ";
    policy.spec.validations[0].message_expression = fmt::format("'{}'", one.made);
    EXPECT_EQ(Ask(policy).denials.at(0).message, one.want);
  }
}

TEST_F(EvaluationTest, AStoredExpressionThatDoesNotCompileFailsWhenItIsAsked) {
  v1::ValidatingAdmissionPolicy policy = Rules({"1 +", "variables.wrong == 1"});
  auto& wrong = policy.spec.variables.emplace_back();
  wrong.name = "wrong";
  wrong.expression = "nothing";
  const PolicyResult result = Ask(policy);
  ASSERT_EQ(result.denials.size(), 2U);
  EXPECT_TRUE(result.denials[0].message.starts_with("compilation error: compilation failed: ERROR"))
      << result.denials[0].message;
  EXPECT_TRUE(result.denials[1].message.contains(
      "resulted in error: composited variable \"wrong\" fails to compile: compilation failed"))
      << result.denials[1].message;
}

TEST_F(EvaluationTest, AnnotationsAreTextsOrNothing) {
  v1::ValidatingAdmissionPolicy policy = Rules({});
  const auto add = [&](const char* key, const char* expression) {
    auto& one = policy.spec.audit_annotations.emplace_back();
    one.key = key;
    one.value_expression = expression;
  };
  add("text", "' ' + request.name + ' '");
  add("blank", "'  '");
  add("none", "null");
  add("wrong", "'a' + string(object.missing)");
  const PolicyResult result = Ask(policy);
  ASSERT_EQ(result.annotations.size(), 1U);
  EXPECT_EQ(result.annotations[0].key, "text");
  EXPECT_EQ(result.annotations[0].value, "n");
  ASSERT_EQ(result.annotation_errors.size(), 1U);
  EXPECT_TRUE(result.annotation_errors[0].ends_with("no such key: missing"))
      << result.annotation_errors[0];
}

}  // namespace
}  // namespace dray::server::policies
