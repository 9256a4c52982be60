// SPDX-License-Identifier: Apache-2.0
#include "server/access/rbac.h"

#include <string>
#include <vector>

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
  EXPECT_EQ(Allows(Read<Rule>(GetParam().rule), GetParam().asked), GetParam().want);
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
  const char* want;  // what is told; empty: it is covered
};

class CoverTest : public ::testing::TestWithParam<CoverCase> {};

TEST_P(CoverTest, Covers) {
  const Rules held = {Read<Rule>(GetParam().held)};
  const Rules wanted = {Read<Rule>(GetParam().wanted)};
  const Rules missing = Uncovered(held, wanted);
  const std::string told = missing.empty() ? "" : EscalationText(kAlice, missing);
  const std::string head =
      "user \"alice\" (groups=[\"team\"]) is attempting to grant RBAC permissions not currently "
      "held:\n";
  EXPECT_EQ(told, *GetParam().want == '\0' ? "" : head + GetParam().want);
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

}  // namespace
}  // namespace dray::server::access
