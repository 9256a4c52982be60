// SPDX-License-Identifier: Apache-2.0
// Policies that change objects as writes meet them: when they hold, what they may do, their limits.
#include "server/verbs/admission/mutating_policies.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/policies/parameters.h"
#include "server/testing/fixture.h"

namespace dray::server::verbs::admission {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kMutatingPolicies = "mutatingadmissionpolicies";
constexpr const char* kMutatingBindings = "mutatingadmissionpolicybindings";

class MutatingPoliciesTest : public testing::ServerTest {
 protected:
  // A policy about config maps, with a binding of its name.
  void Make(const std::string& name,
            const std::string& mutations,
            const std::string& more = R"("reinvocationPolicy":"Never")",
            const std::string& binding = "") {
    const std::string policy = fmt::format(
        R"({{"metadata":{{"name":"{}"}},"spec":{{"matchConstraints":{{"resourceRules":[)"
        R"({{"apiGroups":[""],"apiVersions":["v1"],"operations":["CREATE","UPDATE"],)"
        R"("resources":["configmaps"]}}]}},"mutations":[{}],{}}}}})",
        name,
        mutations,
        more);
    EXPECT_THAT(Post(kMutatingPolicies, "", policy), StartsWith("201"));
    EXPECT_THAT(
        Post(kMutatingBindings,
             "",
             fmt::format(R"({{"metadata":{{"name":"{0}"}},"spec":{{"policyName":"{0}"{1}}}}})",
                         name,
                         binding)),
        StartsWith("201"));
  }
  static std::string Apply(const std::string& expression) {
    return fmt::format(
        R"({{"patchType":"ApplyConfiguration","applyConfiguration":{{"expression":"{}"}}}})",
        expression);
  }
  static std::string Patch(const std::string& expression) {
    return fmt::format(R"({{"patchType":"JSONPatch","jsonPatch":{{"expression":"{}"}}}})",
                       expression);
  }
  std::string PostMap(const std::string& name) {
    return Post("configmaps",
                "default",
                fmt::format(R"({{"metadata":{{"name":"{}"}},"data":{{"k":"v"}}}})", name));
  }
};

TEST_F(MutatingPoliciesTest, AChangeHoldsFromTheNextWriteOn) {
  EXPECT_THAT(PostMap("before"), Not(HasSubstr("labels")));
  Make("p", Apply("Object{metadata: Object.metadata{labels: {'by': 'policy'}}}"));
  EXPECT_THAT(PostMap("a"), HasSubstr(R"("labels":{"by":"policy"})"));
  EXPECT_THAT(Delete(kMutatingBindings, "", "p"), StartsWith("200"));
  EXPECT_THAT(PostMap("b"), Not(HasSubstr("labels")));
}

TEST_F(MutatingPoliciesTest, PoliciesAreAppliedByNameAndSeeWhatOthersMade) {
  const auto append = [](const char* letter) {
    return Apply(
        fmt::format("Object{{data: {{'x': object.?data.?x.orValue('') + '{}'}}}}", letter));
  };
  Make("c", append("c"));
  Make("a", append("a") + "," + append("b"));
  EXPECT_THAT(PostMap("one"), HasSubstr(R"("x":"abc")"));
}

TEST_F(MutatingPoliciesTest, IfNeededIsAppliedTwice) {
  const std::string append = Apply("Object{data: {'x': object.?data.?x.orValue('') + 'x'}}");
  Make("p", append, R"("reinvocationPolicy":"IfNeeded")");
  EXPECT_THAT(PostMap("one"), HasSubstr(R"("x":"xx")"));
}

TEST_F(MutatingPoliciesTest, AFailureRefusesOrIsLeftOut) {
  const std::string fails = Apply("Object{data: {'x': object.data.none}}");
  const std::string works = Apply("Object{data: {'y': 'z'}}");
  Make("p", fails + "," + works, R"("reinvocationPolicy":"Never","failurePolicy":"Ignore")");
  EXPECT_THAT(PostMap("a"), HasSubstr(R"("y":"z")"));
  Make("q", fails);
  const std::string refused = PostMap("b");
  EXPECT_THAT(refused, HasSubstr("policy 'q' with binding 'q' denied request: expression"));
  EXPECT_THAT(refused, HasSubstr("resulted in error: no such key: none"));
  EXPECT_THAT(Read("configmaps", "default", "b"), StartsWith("404"));
}

TEST_F(MutatingPoliciesTest, WhatIsNoObjectOfTheKindEndsTheRequest) {
  Make("p",
       Patch("[JSONPatch{op: 'add', path: '/bogus', value: 1}]"),
       R"("reinvocationPolicy":"Never","failurePolicy":"Ignore")");
  EXPECT_THAT(PostMap("a"), HasSubstr(R"(strict decoding error: unknown field "bogus")"));
}

TEST_F(MutatingPoliciesTest, AFailingTestSkipsThePatch) {
  Make("p",
       Patch("[JSONPatch{op: 'test', path: '/data/k', value: 'other'},"
             "JSONPatch{op: 'remove', path: '/data/k'}]"));
  EXPECT_THAT(PostMap("a"), HasSubstr(R"("k":"v")"));
}

TEST_F(MutatingPoliciesTest, AtomicValuesAreNotApplied) {
  Make("p", Apply("Object{metadata: Object.metadata{ownerReferences: [], finalizers: ['a/b']}}"));
  EXPECT_THAT(PostMap("a"), HasSubstr(R"("finalizers":["a/b"])"));
  Make("q", Apply("Object{metadata: Object.metadata{labels: Object.metadata.label{x: 'y'}}}"));
  EXPECT_THAT(PostMap("b"),
              HasSubstr(R"(unexpected type name "Object.metadata.label", expected )"
                        R"("Object.metadata.labels")"));
}

TEST_F(MutatingPoliciesTest, PoliciesThemselvesAreLeftAlone) {
  const std::string everything = fmt::format(
      R"({{"metadata":{{"name":"p"}},"spec":{{"matchConstraints":{{"resourceRules":[)"
      R"({{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*"]}}]}},)"
      R"("reinvocationPolicy":"Never","mutations":[{}]}}}})",
      Apply("Object{metadata: Object.metadata{labels: {'x': object.none}}}"));
  EXPECT_THAT(Post(kMutatingPolicies, "", everything), StartsWith("201"));
  EXPECT_THAT(Post(kMutatingBindings, "", R"({"metadata":{"name":"p"},"spec":{"policyName":"p"}})"),
              StartsWith("201"));
  EXPECT_THAT(PostMap("a"), StartsWith("403"));
  EXPECT_THAT(Delete(kMutatingBindings, "", "p"), StartsWith("200"));
  EXPECT_THAT(PostMap("a"), StartsWith("201"));
}

TEST_F(MutatingPoliciesTest, ParametersOfASelectorAreAppliedByNameAndLimited) {
  Make(
      "p",
      Apply("Object{data: {'x': object.?data.?x.orValue('') + params.metadata.name}}"),
      R"("reinvocationPolicy":"Never","failurePolicy":"Ignore",)"
      R"("paramKind":{"apiVersion":"v1","kind":"Secret"})",
      R"(,"paramRef":{"selector":{"matchLabels":{"use":"me"}},"parameterNotFoundAction":"Allow"})");
  const auto add = [&](const std::string& name) {
    const std::string secret =
        fmt::format(R"({{"metadata":{{"name":"{}","labels":{{"use":"me"}}}}}})", name);
    EXPECT_THAT(Post("secrets", "default", secret), StartsWith("201"));
  };
  EXPECT_THAT(PostMap("a"), Not(HasSubstr(R"("x")")));
  add("two");
  add("one");
  EXPECT_THAT(PostMap("b"), HasSubstr(R"("x":"onetwo")"));
  for (size_t i = 2; i <= policies::kParametersMax; ++i) add(fmt::format("s{}", i));
  EXPECT_THAT(PostMap("c"), HasSubstr("selectors of paramRef choose more than"));
}

TEST_F(MutatingPoliciesTest, MissingParametersRefuseWhereTheBindingSaysSo) {
  Make("p",
       Apply("Object{}"),
       R"("reinvocationPolicy":"Never","paramKind":{"apiVersion":"v1","kind":"Secret"})",
       R"(,"paramRef":{"name":"s","parameterNotFoundAction":"Deny"})");
  EXPECT_THAT(PostMap("a"), HasSubstr("no params found for policy binding with `Deny`"));
}

TEST_F(MutatingPoliciesTest, AResultThatIsTooLargeIsAFailure) {
  // Each variable doubles the one before.
  std::string variables = R"({"name":"v0","expression":"'0123456789abcdef'"})";
  for (int i = 1; i < 20; ++i) {
    variables += fmt::format(
        R"(,{{"name":"v{}","expression":"variables.v{} + variables.v{}"}})", i, i - 1, i - 1);
  }
  Make("p",
       Apply("Object{data: {'x': variables.v19}}"),
       fmt::format(R"("reinvocationPolicy":"Never","variables":[{}])", variables));
  EXPECT_THAT(PostMap("a"), StartsWith("403"));
}

}  // namespace
}  // namespace dray::server::verbs::admission
