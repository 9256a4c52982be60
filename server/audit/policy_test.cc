// SPDX-License-Identifier: Apache-2.0
#include "server/audit/policy.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dray::server::audit {
namespace {

constexpr const char* kHead = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

Policy Read(const std::string& rest) {
  const Result<Policy> policy = ReadPolicy(kHead + rest);
  EXPECT_TRUE(policy.has_value()) << rest << policy.error().message;
  return policy.value_or(Policy());
}

// -------------------------------------------------------------------------------- matching a rule

struct FitCase {
  const char* name;
  const char* rule;
  bool want;
};

// Does the rule match when alice, in group "users", gets the log of pod "a" in namespace "dev"?
class ResourceFit : public ::testing::TestWithParam<FitCase> {};

TEST_P(ResourceFit, Decides) {
  const Policy policy = Read(fmt::format("rules: [{{level: Metadata{}}}]", GetParam().rule));
  const access::User user{.name = "alice", .uid = {}, .groups = {"users", "more"}};
  const access::Attributes asked{
      .verb = "get", .resource = "pods", .subresource = "log", .name = "a", .namespace_ = "dev"};
  EXPECT_EQ(DecisionOf(policy, user, asked).level == Level::kMetadata, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Rules,
    ResourceFit,
    ::testing::Values(
        FitCase{"Everything", "", true},
        FitCase{"User", ", users: [bob, alice]", true},
        FitCase{"OtherUser", ", users: [bob]", false},
        FitCase{"Group", ", userGroups: [x, more]", true},
        FitCase{"OtherGroup", ", userGroups: [x]", false},
        FitCase{"Verb", ", verbs: [get]", true},
        FitCase{"OtherVerb", ", verbs: [list]", false},
        FitCase{"Namespace", ", namespaces: [dev]", true},
        FitCase{"NoNamespace", ", namespaces: ['']", false},
        FitCase{"Core", ", resources: [{group: ''}]", true},
        FitCase{"AnyGroup", ", resources: [{group: '*'}]", true},
        FitCase{"OtherGroupOfResources", ", resources: [{group: apps}]", false},
        FitCase{"Resource", ", resources: [{resources: [pods]}]", false},
        FitCase{"Part", ", resources: [{resources: [pods/log]}]", true},
        FitCase{"AllParts", ", resources: [{resources: [pods/*]}]", true},
        FitCase{"PartOfAll", ", resources: [{resources: ['*/log']}]", true},
        FitCase{"AllResources", ", resources: [{resources: ['*']}]", true},
        FitCase{"Name", ", resources: [{resources: ['*'], resourceNames: [a]}]", true},
        FitCase{"OtherName", ", resources: [{resources: ['*'], resourceNames: [b]}]", false},
        FitCase{"Path", ", nonResourceURLs: ['*']", false}),
    [](const auto& one) { return one.param.name; });

TEST(AuditPolicy, PathsAreWholeOrBeginnings) {
  const auto fits = [](const std::string& spec, const std::string& path) {
    const Policy policy =
        Read(fmt::format("rules: [{{level: Request, nonResourceURLs: ['{}']}}]", spec));
    return DecisionOf(policy, {}, {.verb = "get", .path = path}).level == Level::kRequest;
  };
  EXPECT_TRUE(fits("/healthz", "/healthz"));
  EXPECT_FALSE(fits("/healthz", "/healthz/ping"));
  EXPECT_TRUE(fits("/healthz*", "/healthz/ping"));
  EXPECT_TRUE(fits("*", "/anything"));
}

TEST(AuditPolicy, TheFirstRuleThatFitsDecides) {
  const Policy policy = Read(
      "omitStages: [RequestReceived]\n"
      "omitManagedFields: true\n"
      "rules:\n"
      "- {level: None, users: [a]}\n"
      "- {level: Request, users: [a, b], omitStages: [Panic], omitManagedFields: false}\n"
      "- {level: RequestResponse, users: [c]}\n");
  const auto of = [&](const char* name) {
    return DecisionOf(policy, {.name = name, .uid = {}, .groups = {}}, {.verb = "get"});
  };
  EXPECT_EQ(of("a").level, Level::kNone);
  EXPECT_EQ(of("b").level, Level::kRequest);
  EXPECT_TRUE(of("b").omitted.Has(Stage::kPanic));
  EXPECT_TRUE(of("b").omitted.Has(Stage::kRequestReceived));
  EXPECT_FALSE(of("b").omitted.Has(Stage::kResponseComplete));
  EXPECT_FALSE(of("b").omit_managed_fields);
  EXPECT_TRUE(of("c").omit_managed_fields);
  EXPECT_EQ(of("nobody").level, Level::kNone);
}

// --------------------------------------------------------------------------------------- reading

TEST(AuditPolicy, UnknownFieldsAreToldOf) {
  const Policy policy = Read("more: 1\nrules: [{level: None, user: [a]}]");
  ASSERT_EQ(policy.warnings.size(), 2U);
  EXPECT_EQ(policy.warnings[0], "unknown field \"more\"");
  EXPECT_EQ(policy.warnings[1], "unknown field \"rules[0].user\"");
}

TEST(AuditPolicy, HasALimit) {
  const auto with = [](size_t rules) {
    std::string text = std::string(kHead) + "rules:\n";
    for (size_t i = 0; i < rules; ++i) text += "- {level: None}\n";
    return ReadPolicy(text);
  };
  EXPECT_TRUE(with(kRulesMax).has_value());
  const Result<Policy> past = with(kRulesMax + 1);
  ASSERT_FALSE(past.has_value());
  EXPECT_EQ(past.error().message, "rules: there are more than 10000");
}

}  // namespace
}  // namespace dray::server::audit
