// SPDX-License-Identifier: Apache-2.0
#include "server/access/rbac.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/json.h"

namespace dray::server::access {
namespace {

namespace rbac = api::rbac_v1;

template <class T>
T Read(const std::string& json) {
  T value;
  const auto read = api::DecodeJson(api::TypeOf<T>(), json, &value, nullptr);
  EXPECT_TRUE(read.has_value()) << json;
  return value;
}

// --------------------------------------------------------------------------------------- one rule

struct RuleCase {
  const char* name;
  const char* rule;
  Attributes asked;
  bool want;
};

Attributes Pods(const char* verb, const char* subresource = "", const char* name = "") {
  return {.verb = verb, .resource = "pods", .subresource = subresource, .name = name};
}

class RuleTest : public ::testing::TestWithParam<RuleCase> {};

TEST_P(RuleTest, Allows) {
  const Rules rules = {Read<Rule>(GetParam().rule)};
  EXPECT_EQ(Allows(RuleIndex(rules), GetParam().asked), GetParam().want);
}

constexpr const char* kGetPods = R"({"verbs":["get"],"apiGroups":[""],"resources":["pods"]})";
constexpr const char* kPodA =
    R"({"verbs":["*"],"apiGroups":["*"],"resources":["pods"],"resourceNames":["a"]})";
constexpr const char* kAnyStatus = R"({"verbs":["*"],"apiGroups":["*"],"resources":["*/status"]})";
constexpr const char* kEverything = R"({"verbs":["*"],"apiGroups":["*"],"resources":["*"]})";
constexpr const char* kPaths = R"({"verbs":["get"],"nonResourceURLs":["/healthz","/apis/*"]})";

INSTANTIATE_TEST_SUITE_P(
    All,
    RuleTest,
    ::testing::Values(
        RuleCase{"Named", kGetPods, Pods("get"), true},
        RuleCase{"OtherVerb", kGetPods, Pods("list"), false},
        RuleCase{"OtherGroup",
                 kGetPods,
                 {.verb = "get", .group = "metrics.k8s.io", .resource = "pods"},
                 false},
        RuleCase{"ASubresourceIsNotThePod", kGetPods, Pods("get", "status"), false},
        RuleCase{"ItsName", kPodA, Pods("get", "", "a"), true},
        RuleCase{"AnotherName", kPodA, Pods("get", "", "b"), false},
        RuleCase{"NoName", kPodA, Pods("list"), false},
        RuleCase{"StatusOfAnything", kAnyStatus, Pods("get", "status"), true},
        RuleCase{"AnythingButStatus", kAnyStatus, Pods("get"), false},
        RuleCase{"OtherPart", kAnyStatus, Pods("get", "mystatus"), false},
        RuleCase{"Everything", kEverything, Pods("get", "status"), true},
        RuleCase{"EverythingIsNoPath", kEverything, {.verb = "get", .path = "/healthz"}, false},
        RuleCase{"Path", kPaths, {.verb = "get", .path = "/healthz"}, true},
        RuleCase{"PathBelow", kPaths, {.verb = "get", .path = "/apis/apps/v1"}, true},
        RuleCase{"NotBelow", kPaths, {.verb = "get", .path = "/api"}, false},
        RuleCase{"OtherMethod", kPaths, {.verb = "post", .path = "/healthz"}, false},
        RuleCase{"PathsAreNoResources", kPaths, Pods("get"), false}),
    [](const auto& info) { return info.param.name; });

// --------------------------------------------------------------------------------------- policies

Policy SomePolicy() {
  PolicyObjects objects;
  objects.cluster_roles = {
      Read<rbac::ClusterRole>(
          R"({"metadata":{"name":"reader"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]})"),
      Read<rbac::ClusterRole>(R"({"metadata":{"name":"editor"}})")};
  objects.roles = {Read<rbac::Role>(
      R"({"metadata":{"name":"local","namespace":"lab"},"rules":[{"verbs":["list"],"apiGroups":[""],"resources":["pods"]}]})")};
  objects.cluster_bindings = {
      Read<rbac::ClusterRoleBinding>(
          R"({"metadata":{"name":"all"},"roleRef":{"kind":"ClusterRole","name":"reader"},
              "subjects":[{"kind":"Group","name":"team"},{"kind":"ServiceAccount","name":"bot","namespace":"lab"},
                          {"kind":"ServiceAccount","name":"nowhere"}]})"),
      Read<rbac::ClusterRoleBinding>(
          R"({"metadata":{"name":"broken"},"roleRef":{"kind":"ClusterRole","name":"none"},
              "subjects":[{"kind":"User","name":"bob"}]})")};
  objects.bindings = {
      Read<rbac::RoleBinding>(
          R"({"metadata":{"name":"some","namespace":"lab"},"roleRef":{"kind":"Role","name":"local"},
              "subjects":[{"kind":"User","name":"alice"},{"kind":"ServiceAccount","name":"bot"}]})"),
      Read<rbac::RoleBinding>(
          R"({"metadata":{"name":"far","namespace":"other"},"roleRef":{"kind":"Role","name":"local"},
              "subjects":[{"kind":"User","name":"alice"}]})")};
  return Policy(objects);
}

struct PolicyCase {
  const char* name;
  User user;
  const char* verb;
  const char* namespace_;
  bool want;
  const char* reason;
};

class PolicyTest : public ::testing::TestWithParam<PolicyCase> {};

TEST_P(PolicyTest, Decides) {
  Attributes asked = Pods(GetParam().verb);
  asked.namespace_ = GetParam().namespace_;
  const Verdict verdict = SomePolicy().Decide(GetParam().user, asked);
  EXPECT_EQ(verdict.is_allowed, GetParam().want);
  EXPECT_EQ(verdict.reason, GetParam().reason);
}

const User kAlice{.name = "alice", .uid = "", .groups = {"team"}};
const User kBot{.name = "system:serviceaccount:lab:bot", .uid = ""};

INSTANTIATE_TEST_SUITE_P(
    All,
    PolicyTest,
    ::testing::Values(
        PolicyCase{
            "Group",
            kAlice,
            "get",
            "anywhere",
            true,
            R"(RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to Group "team")"},
        PolicyCase{
            "ClusterWide",
            kAlice,
            "get",
            "",
            true,
            R"(RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to Group "team")"},
        PolicyCase{"InTheNamespace",
                   kAlice,
                   "list",
                   "lab",
                   true,
                   R"(RBAC: allowed by RoleBinding "some/lab" of Role "local" to User "alice")"},
        PolicyCase{"NotElsewhere", kAlice, "list", "", false, ""},
        PolicyCase{"ARoleOfAnotherNamespace",
                   kAlice,
                   "list",
                   "other",
                   false,
                   R"(RBAC: role.rbac.authorization.k8s.io "local" not found)"},
        PolicyCase{
            "AnAccountOfTheBindingsNamespace",
            kBot,
            "list",
            "lab",
            true,
            R"(RBAC: allowed by RoleBinding "some/lab" of Role "local" to ServiceAccount "bot/lab")"},
        PolicyCase{
            "AnAccountByName",
            kBot,
            "get",
            "",
            true,
            R"(RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to ServiceAccount "bot/lab")"},
        PolicyCase{"AMissingRole",
                   {.name = "bob", .uid = ""},
                   "get",
                   "",
                   false,
                   R"(RBAC: clusterrole.rbac.authorization.k8s.io "none" not found)"},
        PolicyCase{"Nobody", {.name = "carol", .uid = ""}, "get", "lab", false, ""},
        PolicyCase{"AGroupIsNoUser", {.name = "team", .uid = ""}, "get", "lab", false, ""},
        PolicyCase{"Masters",
                   {.name = "x", .uid = "", .groups = {"system:masters"}},
                   "escalate",
                   "",
                   true,
                   ""}),
    [](const auto& info) { return info.param.name; });

// ------------------------------------------------------------------------------------- escalation

struct CoverCase {
  const char* name;
  const char* held;
  const char* wanted;
  const char* want;  // the expected message; empty: it is covered
};

class CoverTest : public ::testing::TestWithParam<CoverCase> {};

TEST_P(CoverTest, Covers) {
  const Rules held = {Read<Rule>(GetParam().held)};
  const Rules wanted = {Read<Rule>(GetParam().wanted)};
  const Missing missing = Uncovered({std::make_shared<const RuleIndex>(held)}, RuleIndex(wanted));
  const std::string reported = missing.empty() ? "" : EscalationText(kAlice, missing);
  const std::string head =
      "user \"alice\" (groups=[\"team\"]) is attempting to grant RBAC permissions not currently "
      "held:\n";
  EXPECT_EQ(reported, *GetParam().want == '\0' ? "" : head + GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    CoverTest,
    ::testing::Values(
        CoverCase{"Same", kGetPods, kGetPods, ""},
        CoverCase{"Everything", kEverything, kAnyStatus, ""},
        CoverCase{"StatusByStar",
                  kAnyStatus,
                  R"({"verbs":["get"],"apiGroups":[""],"resources":["pods/status"]})",
                  ""},
        CoverCase{"MoreVerbs",
                  kGetPods,
                  R"({"verbs":["get","list","watch"],"apiGroups":[""],"resources":["pods"]})",
                  R"({APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]})"},
        CoverCase{
            "AllNames", kPodA, kGetPods, R"({APIGroups:[""], Resources:["pods"], Verbs:["get"]})"},
        CoverCase{
            "OneName",
            kGetPods,
            R"({"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":["a"]})",
            ""},
        CoverCase{"Paths", kPaths, R"({"verbs":["get"],"nonResourceURLs":["/apis/x"]})", ""},
        CoverCase{"MorePaths",
                  kPaths,
                  R"({"verbs":["get"],"nonResourceURLs":["/api"]})",
                  R"({NonResourceURLs:["/api"], Verbs:["get"]})"}),
    [](const auto& info) { return info.param.name; });

// --------------------------------------------------------------------------------- what it costs

api::List<std::string> WordsOf(std::string_view prefix, size_t count) {
  api::List<std::string> words;
  for (size_t i = 0; i < count; ++i) words.push_back(fmt::format("{}{}", prefix, i));
  return words;
}

/// All combinations of `count` words in each list.
Rule Product(size_t count) {
  Rule rule;
  rule.verbs = WordsOf("v", count);
  rule.api_groups = WordsOf("g", count);
  rule.resources = WordsOf("r", count);
  rule.resource_names = WordsOf("n", count);
  return rule;
}

Held HeldBy(const Rules& rules) {
  return {std::make_shared<const RuleIndex>(rules)};
}

TEST(Rules, ThatAreAlikeCountOnce) {
  const Rules rules(12'000, Read<Rule>(kGetPods));
  const RuleIndex index(rules);
  EXPECT_EQ(index.size(), 1U);
  EXPECT_TRUE(Allows(index, Pods("get")));
}

TEST(Rules, AreFoundAmongMany) {
  Rules rules;
  for (size_t i = 0; i < 1000; ++i) {
    Rule& rule = rules.emplace_back(Read<Rule>(kGetPods));
    rule.resource_names = {fmt::format("n{}", i)};
    if (i % 3 == 0) rule.verbs = {"list"};
  }
  const RuleIndex index(rules);
  EXPECT_TRUE(Allows(index, Pods("get", "", "n998")));
  EXPECT_FALSE(Allows(index, Pods("get", "", "n999")));
  EXPECT_TRUE(Allows(index, Pods("list", "", "n999")));
  EXPECT_FALSE(Allows(index, Pods("get", "", "n1000")));
  EXPECT_EQ(index.rule(998), rules[998]);
}

// This rule has too many combinations to check one by one.
TEST(Escalation, IsDecidedWithoutTheProduct) {
  constexpr size_t kWords = 1000;
  const Rules wanted = {Product(kWords)};
  EXPECT_TRUE(Uncovered(HeldBy(wanted), RuleIndex(wanted)).empty());
  EXPECT_TRUE(Uncovered(HeldBy({Read<Rule>(kEverything)}), RuleIndex(wanted)).empty());
  Rules less = wanted;
  less.front().resource_names.pop_back();
  const Missing missing = Uncovered(HeldBy(less), RuleIndex(wanted));
  EXPECT_FALSE(missing.empty());
  EXPECT_TRUE(missing.has_more);
  EXPECT_FALSE(Uncovered({}, RuleIndex(wanted)).empty());
}

TEST(Escalation, NamesSoManyAndNoMore) {
  Rule rule = Read<Rule>(kGetPods);
  rule.resource_names = WordsOf("n", kMissingShownMax);
  Missing missing = Uncovered({}, RuleIndex(Rules{rule}));
  EXPECT_EQ(missing.shown.size(), kMissingShownMax);
  EXPECT_FALSE(missing.has_more);
  rule.resource_names = WordsOf("n", kMissingShownMax + 1);
  missing = Uncovered({}, RuleIndex(Rules{rule}));
  EXPECT_EQ(missing.shown.size(), kMissingShownMax);
  EXPECT_TRUE(missing.has_more);
}

// A part that others have filled is not made anew by one more binding; what it says is the same.
TEST(PolicyPart, LendsWhatHasNotChanged) {
  constexpr size_t kBindings = 200;
  constexpr size_t kSubjects = 100;
  const auto binding = [](size_t number, std::string_view user) {
    rbac::RoleBinding made;
    made.metadata.name = fmt::format("b{}", number);
    made.metadata.namespace_ = "lab";
    made.role_ref.kind = "Role";
    made.role_ref.name = "r";
    for (size_t i = 0; i < kSubjects; ++i) {
      auto& subject = made.subjects.emplace_back();
      subject.kind = "User";
      subject.name = fmt::format("{}-{}-{}", user, number, i);
    }
    return made;
  };
  const Rules rules = {Read<Rule>(kGetPods)};
  auto first = std::make_shared<PolicyPart>("lab");
  first->AddRole("r", Revision{1}, rules);
  for (size_t i = 0; i < kBindings; ++i) first->AddBinding(binding(i, "old"), Revision{1});
  first->Finish();
  auto second = std::make_shared<PolicyPart>("lab", first);
  EXPECT_TRUE(second->KeepRole("r", Revision{1}));
  EXPECT_FALSE(second->KeepBinding("b0", Revision{2}));
  second->AddBinding(binding(0, "new"), Revision{2});
  for (size_t i = 1; i + 1 < kBindings; ++i) {
    EXPECT_TRUE(second->KeepBinding(fmt::format("b{}", i), Revision{1}));
  }
  second->Finish();
  const Policy policy(Policy::Parts{{"lab", second}});
  const auto may = [&](const std::string& user) {
    return policy
        .Decide({.name = user, .uid = ""}, {.verb = "get", .resource = "pods", .namespace_ = "lab"})
        .is_allowed;
  };
  EXPECT_TRUE(may("new-0-7"));
  EXPECT_FALSE(may("old-0-7")) << "changed";
  EXPECT_TRUE(may("old-7-7"));
  EXPECT_FALSE(may(fmt::format("old-{}-7", kBindings - 1))) << "gone";
}

// Each held rule has a word that no other rule has, so no rules can be combined.
TEST(Escalation, GivesUpAndSaysNo) {
  constexpr size_t kWords = 100;
  const Rules wanted = {Product(kWords)};
  Rules held;
  for (size_t i = 0; i < 3 * kWords; ++i) {
    Rule& rule = held.emplace_back(wanted.front());
    const std::array lists = {&rule.verbs, &rule.api_groups, &rule.resources};
    lists[i % 3]->erase(lists[i % 3]->begin() + static_cast<ptrdiff_t>(i / 3));
    rule.resource_names.erase(rule.resource_names.begin());
  }
  const Missing missing = Uncovered(HeldBy(held), RuleIndex(wanted));
  EXPECT_TRUE(missing.is_undecided);
  EXPECT_FALSE(missing.empty());
  EXPECT_NE(EscalationText(kAlice, missing).find("takes more than"), std::string::npos);
}

}  // namespace
}  // namespace dray::server::access
