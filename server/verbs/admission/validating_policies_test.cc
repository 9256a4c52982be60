// SPDX-License-Identifier: Apache-2.0
// Policies on writes: when they apply, and their limits. tests/scripts/server/policies.txt tests
// their texts against a real server's answers.
#include "server/verbs/admission/validating_policies.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/policies/judge.h"
#include "server/policies/match_rules.h"
#include "server/policies/parameters.h"
#include "server/policies/policy_rules.h"
#include "server/testing/fixture.h"

namespace dray::server::verbs::admission {
namespace {

constexpr const char* kPolicies = "validatingadmissionpolicies";
constexpr const char* kBindings = "validatingadmissionpolicybindings";
constexpr const char* kRule =
    R"("matchConstraints":{"resourceRules":[{"apiGroups":["*"],"apiVersions":["*"],)"
    R"("operations":["*"],"resources":["configmaps"]}]})";

class AdmissionTest : public testing::ServerTest {
 protected:
  static std::string Policy(const std::string& name, const std::string& spec) {
    return fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{{},{}}}}})", name, kRule, spec);
  }
  static std::string Binding(const std::string& name, const std::string& actions) {
    return fmt::format(
        R"({{"metadata":{{"name":"{0}"}},"spec":{{"policyName":"{0}","validationActions":[{1}]}}}})",
        name,
        actions);
  }
  static std::string Map(const std::string& name) {
    return fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name);
  }

  // The code of a POST.
  std::string CodeOf(const std::string& plural, const std::string& body) {
    return Post(plural, plural == "configmaps" ? "default" : "", body).substr(0, 3);
  }
  // The code of a PATCH that makes `expression` the only rule of the policy "p".
  std::string PatchRule(const std::string& expression) {
    ResourceRequest request = Request(Verb::kPatch, kPolicies, "", "p");
    request.body =
        fmt::format(R"({{"spec":{{"validations":[{{"expression":"{}"}}]}}}})", expression);
    return Do(std::move(request)).substr(0, 3);
  }
  Answer PostMap(const std::string& name) {
    ResourceRequest request = Request(Verb::kCreate, "configmaps", "default", "");
    request.body = Map(name);
    return Ask(std::move(request));
  }
};

TEST_F(AdmissionTest, APolicyHoldsFromTheNextRequestOn) {
  EXPECT_EQ(CodeOf(kPolicies, Policy("p", R"("validations":[{"expression":"false"}])")), "201");
  EXPECT_EQ(CodeOf("configmaps", Map("a")), "201");  // a policy without a binding does not apply
  EXPECT_EQ(CodeOf(kBindings, Binding("p", "\"Deny\"")), "201");
  EXPECT_EQ(CodeOf("configmaps", Map("b")), "422");
  EXPECT_EQ(Delete("configmaps", "default", "a").substr(0, 3), "422");
  EXPECT_EQ(PatchRule("true"), "200");
  EXPECT_EQ(CodeOf("configmaps", Map("b")), "201");
  EXPECT_EQ(PatchRule("false"), "200");
  EXPECT_EQ(CodeOf("configmaps", Map("c")), "422");
  EXPECT_EQ(Delete(kBindings, "", "p").substr(0, 3), "200");
  EXPECT_EQ(CodeOf("configmaps", Map("c")), "201");
}

TEST_F(AdmissionTest, OneAnnotationNamesSoManyBrokenRulesAndNoMore) {
  std::string rules;
  for (size_t i = 0; i <= policies::kFailuresMax; ++i) {
    rules += fmt::format(R"({}{{"expression":"object.metadata.name == 'x{}'"}})", i ? "," : "", i);
  }
  EXPECT_EQ(CodeOf(kPolicies, Policy("p", fmt::format(R"("validations":[{}])", rules))), "201");
  EXPECT_EQ(CodeOf(kBindings, Binding("p", "\"Audit\"")), "201");
  const auto failures = [&](const std::string& name) {
    const Answer answer = PostMap(name);
    EXPECT_TRUE(answer.outcome.has_value());
    const std::string value = answer.annotations.at(0).value;
    size_t count = 0;
    for (size_t at = value.find("\"policy\""); at != std::string::npos;
         at = value.find("\"policy\"", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(failures("x3"), policies::kFailuresMax);    // one of them passes
  EXPECT_EQ(failures("none"), policies::kFailuresMax);  // one more is dropped
}

TEST_F(AdmissionTest, AnAnnotationIsCut) {
  constexpr const char* kBoth =
      R"j("auditAnnotations":[{"key":"k","valueExpression":)j"
      R"j("string(object.metadata.annotations.a) + string(object.metadata.annotations.b)"}])j";
  EXPECT_EQ(CodeOf(kPolicies, Policy("p", kBoth)), "201");
  EXPECT_EQ(CodeOf(kBindings, Binding("p", "\"Audit\"")), "201");
  const auto noted = [&](const std::string& name, const std::string& more) {
    ResourceRequest request = Request(Verb::kCreate, "configmaps", "default", "");
    request.body =
        fmt::format(R"({{"metadata":{{"name":"{}","annotations":{{"a":"{}","b":"{}"}}}}}})",
                    name,
                    std::string(policies::kAnnotationBytesMax, 'v'),
                    more);
    return Ask(std::move(request)).annotations.at(0);
  };
  EXPECT_EQ(noted("a", "").key, "p/k");
  EXPECT_EQ(noted("b", "").value.size(), policies::kAnnotationBytesMax);
  EXPECT_EQ(noted("c", "w").value, std::string(policies::kAnnotationBytesMax, 'v'));
}

TEST_F(AdmissionTest, WhatSelectorsOfParametersChooseIsCharged) {
  // No parameter may be skipped, whatever the failurePolicy says.
  EXPECT_EQ(
      CodeOf(
          kPolicies,
          Policy(
              "p",
              R"("failurePolicy":"Ignore","paramKind":{"apiVersion":"v1","kind":"Secret"},)"
              R"("validations":[{"expression":"params.metadata.name != object.metadata.name"}])")),
      "201");
  EXPECT_FALSE(resources_.IsLong(Request(Verb::kCreate, "configmaps", "default", "")));
  EXPECT_EQ(
      CodeOf(kBindings,
             R"({"metadata":{"name":"p"},"spec":{"policyName":"p","validationActions":["Deny"],)"
             R"("paramRef":{"selector":{"matchLabels":{"policy":"yes"}},)"
             R"("parameterNotFoundAction":"Allow"}}})"),
      "201");
  const auto add = [&](size_t number, size_t bytes) {
    const std::string secret = fmt::format(
        R"({{"metadata":{{"name":"s{}","labels":{{"policy":"yes"}}}},"stringData":{{"x":"{}"}}}})",
        number,
        std::string(bytes, 'x'));
    ASSERT_EQ(Post("secrets", "default", secret).substr(0, 3), "201");
  };
  for (size_t i = 0; i < policies::kParametersMax; ++i) add(i, 0);
  EXPECT_EQ(CodeOf("configmaps", Map("a")), "201");
  EXPECT_EQ(CodeOf("configmaps", Map("s7")), "422") << "each of them is asked";
  EXPECT_TRUE(resources_.IsLong(Request(Verb::kCreate, "configmaps", "default", "")))
      << "no reactor waits for it";
  EXPECT_FALSE(resources_.IsLong(Request(Verb::kGet, "configmaps", "default", "a")));
  add(policies::kParametersMax, 0);
  const std::string refused = Post("configmaps", "default", Map("b"));
  EXPECT_TRUE(refused.starts_with("422")) << refused;
  EXPECT_TRUE(refused.contains("ValidatingAdmissionPolicy 'p' with binding 'p' denied request"))
      << refused;
  EXPECT_TRUE(refused.contains("the limit is 250 parameters")) << refused;
  for (size_t i = 0; i <= policies::kParametersMax; ++i) {
    Delete("secrets", "default", fmt::format("s{}", i));
  }
  constexpr size_t kLarge = 700'000;  // base64 makes it a third larger
  for (size_t i = 0; i < 4; ++i) add(i, kLarge);
  EXPECT_EQ(CodeOf("configmaps", Map("c")), "201");
  add(4, kLarge);
  EXPECT_TRUE(Post("configmaps", "default", Map("d")).contains("parameters of 4194304 bytes"));
}

TEST_F(AdmissionTest, PoliciesHaveLimits) {
  const auto repeat = [](size_t times, const std::string& format) {
    std::string all;
    for (size_t i = 0; i < times; ++i) {
      all += (i > 0 ? "," : "") + fmt::format(fmt::runtime(format), i);
    }
    return all;
  };
  const std::string condition = R"({{"name":"c{}","expression":"true"}})";
  const std::string annotation = R"({{"key":"k{}","valueExpression":"'v'"}})";
  const auto with = [&](size_t conditions, size_t annotations, size_t bytes) {
    return Policy(
        fmt::format("p{}-{}-{}", conditions, annotations, bytes),
        fmt::format(R"("matchConditions":[{}],"auditAnnotations":[{}],)"
                    R"("validations":[{{"expression":"true"}}])",
                    repeat(conditions, condition),
                    annotations > 0 ? repeat(annotations, annotation)
                                    : fmt::format(R"({{"key":"k","valueExpression":"'{}'"}})",
                                                  std::string(bytes - 2, 'v'))));
  };
  EXPECT_EQ(CodeOf(kPolicies, with(policies::kMatchConditionsMax, 1, 0)), "201");
  EXPECT_TRUE(Post(kPolicies, "", with(policies::kMatchConditionsMax + 1, 1, 0))
                  .contains("spec.matchConditions: Too many: 65: must have at most 64 items"));
  EXPECT_EQ(CodeOf(kPolicies, with(1, policies::kAuditAnnotationsMax, 0)), "201");
  EXPECT_TRUE(Post(kPolicies, "", with(1, policies::kAuditAnnotationsMax + 1, 0))
                  .contains("must not have more than 20 auditAnnotations"));
  EXPECT_EQ(CodeOf(kPolicies, with(1, 0, policies::kValueExpressionBytesMax)), "201");
  EXPECT_TRUE(Post(kPolicies, "", with(1, 0, policies::kValueExpressionBytesMax + 1))
                  .contains("valueExpression: Required value: must not exceed 5120 bytes"));
}

TEST_F(AdmissionTest, AnExpressionThatWasThereBeforeKeepsTheLanguageOfWhatIsStored) {
  // New expressions may not use `includes` yet; stored ones may (1.37).
  const std::string uses =
      Policy("p", R"("validations":[{"expression":"[1].includes(1) || true"}])");
  EXPECT_TRUE(Post(kPolicies, "", uses).contains("undeclared reference to 'includes'"));
}

}  // namespace
}  // namespace dray::server::verbs::admission
