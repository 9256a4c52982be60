// SPDX-License-Identifier: Apache-2.0
// Decisions follow the stored roles, and a user cannot grant rights that the user does not have.
#include "server/verbs/context/rights.h"

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/testing/fixture.h"

namespace dray::server::verbs::inline context {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const User kAlice{.name = "alice", .uid = "", .groups = {"system:authenticated"}};

class RightsTest : public testing::ServerTest {
 protected:
  RightsTest() : ServerTest(Options{.rbac = true}) {
    EXPECT_TRUE(Wait(resources_.BootstrapObjects()).has_value());
  }
  std::string Post(std::string_view plural, std::string body, const User& user = Master()) {
    ResourceRequest request = Request(Verb::kCreate, plural, "", "");
    request.body = std::move(body);
    request.user = user;
    return Do(std::move(request));
  }
  static User Master() { return {.name = "admin", .uid = "", .groups = {"system:masters"}}; }
  bool MayGetPods() {
    return resources_.rights()->Decide(kAlice, {.verb = "get", .resource = "pods"}).is_allowed;
  }
  void Bind(std::string_view role) {
    Post(
        "clusterrolebindings",
        R"({"metadata":{"name":"b-)" + std::string(role) +
            R"("},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":")" +
            std::string(role) +
            R"("},"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"alice"}]})");
  }
};

constexpr const char* kReader =
    R"({"metadata":{"name":"reader"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]})";
constexpr const char* kMaker =
    R"({"metadata":{"name":"maker"},"rules":[{"verbs":["*"],"apiGroups":["rbac.authorization.k8s.io"],)"
    R"("resources":["clusterroles","clusterrolebindings"],"resourceNames":["x"]}]})";

TEST_F(RightsTest, FollowWhatIsStored) {
  EXPECT_FALSE(MayGetPods());
  Bind("reader");
  EXPECT_FALSE(MayGetPods()) << "there is no such role";
  Post("clusterroles", kReader);
  EXPECT_TRUE(MayGetPods());
  Post("namespaces", R"({"metadata":{"name":"other"}})");
  EXPECT_TRUE(MayGetPods());
  Do(Request(Verb::kDelete, "clusterrolebindings", "", "b-reader"));
  EXPECT_FALSE(MayGetPods());
}

TEST_F(RightsTest, FollowRolesOfANamespace) {
  const auto may = [&] {
    return resources_.rights()
        ->Decide(kAlice, {.verb = "get", .resource = "pods", .namespace_ = "default"})
        .is_allowed;
  };
  const auto post = [&](std::string_view plural, std::string body) {
    ResourceRequest request = Request(Verb::kCreate, plural, "default", "");
    request.body = std::move(body);
    request.user = Master();
    return Do(std::move(request));
  };
  EXPECT_FALSE(may());
  post(
      "rolebindings",
      R"({"metadata":{"name":"b"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role",)"
      R"("name":"r"},"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io",)"
      R"("name":"alice"}]})");
  EXPECT_FALSE(may()) << "there is no such role";
  constexpr const char* kRole =
      R"({"metadata":{"name":"r"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]})";
  post("roles", kRole);
  EXPECT_TRUE(may());
  ResourceRequest change = Request(Verb::kPatch, "roles", "default", "r");
  change.body = R"({"rules":[]})";
  change.user = Master();
  Do(change);
  EXPECT_FALSE(may());
  Do(Request(Verb::kDelete, "roles", "default", "r"));
  post("roles", kRole);
  EXPECT_TRUE(may());
  Do(Request(Verb::kDelete, "rolebindings", "default", "b"));
  EXPECT_FALSE(may());
}

TEST_F(RightsTest, AReviewOfRulesIsBounded) {
  std::string rules;
  for (int i = 0; i < 2001; ++i) {
    rules += (i == 0 ? "" : ",") +
             fmt::format(R"({{"verbs":["get"],"apiGroups":[""],"resources":["r{}"]}})", i);
  }
  Post("clusterroles", R"({"metadata":{"name":"long"},"rules":[)" + rules + "]}");
  Bind("long");
  const std::string answer =
      Post("selfsubjectrulesreviews", R"({"spec":{"namespace":"default"}})", kAlice);
  EXPECT_THAT(answer, AllOf(StartsWith("201 "), HasSubstr(R"("incomplete":true)")));
  EXPECT_THAT(answer, HasSubstr("the rest is left out"));
}

TEST_F(RightsTest, AReviewOfRulesSaysWhatIsMissing) {
  Bind("nowhere");
  EXPECT_THAT(Post("selfsubjectrulesreviews", R"({"spec":{"namespace":"default"}})", kAlice),
              HasSubstr(R"(clusterrole.rbac.authorization.k8s.io \"nowhere\" not found)"));
}

TEST_F(RightsTest, ThePolicyIsMadeOnce) {
  const auto revision = store_.Read()->revision();
  EXPECT_TRUE(Wait(resources_.BootstrapObjects()).has_value());
  EXPECT_EQ(store_.Read()->revision(), revision);
}

TEST_F(RightsTest, NobodyGivesWhatHeDoesNotHave) {
  EXPECT_THAT(Post("clusterroles", kReader, kAlice),
              AllOf(StartsWith("403 "),
                    HasSubstr("is attempting to grant RBAC permissions not currently held"),
                    HasSubstr(R"({APIGroups:[""], Resources:["pods"], Verbs:["get"]})")));
  Post("clusterroles", kReader);
  Bind("reader");
  EXPECT_THAT(
      Post(
          "clusterroles",
          R"({"metadata":{"name":"x"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}]})",
          kAlice),
      StartsWith("201 "));
}

constexpr std::string_view kNeedsEverything =
    "must have cluster-admin privileges to use the aggregationRule";

TEST_F(RightsTest, ARoleWhoseRulesComeFromOthersNeedsEverything) {
  Post("clusterroles", kMaker);
  EXPECT_THAT(Post("clusterroles",
                   R"({"metadata":{"name":"x"},"aggregationRule":{"clusterRoleSelectors":[{}]}})",
                   kAlice),
              AllOf(StartsWith("403 "), HasSubstr(kNeedsEverything)));
}

TEST_F(RightsTest, ARoleWhoseRulesComeFromNowhereIsInvalid) {
  EXPECT_THAT(Post("clusterroles", R"({"metadata":{"name":"x"},"aggregationRule":{}})", kAlice),
              AllOf(StartsWith("422 "),
                    HasSubstr("aggregationRule.clusterRoleSelectors: Required value: at least one "
                              "clusterRoleSelector required if aggregationRule is non-nil")));
}

// Otherwise a user could keep rules in it that the user does not have.
TEST_F(RightsTest, ARoleThatTookItsRulesFromOthersNeedsEverythingToo) {
  Post("clusterroles",
       R"({"metadata":{"name":"x"},"aggregationRule":{"clusterRoleSelectors":[{}]}})");
  ResourceRequest request = Request(Verb::kPatch, "clusterroles", "", "x");
  request.body = R"({"aggregationRule":null,"rules":[]})";
  request.user = kAlice;
  EXPECT_THAT(Do(request), AllOf(StartsWith("403 "), HasSubstr(kNeedsEverything)));
}

// Upstream reads roles as part of the request, so the error names the request's resource.
TEST_F(RightsTest, ARefusalNamesTheRolesThatAreNotThere) {
  Bind("none");
  EXPECT_THAT(Post("clusterroles", kReader, kAlice),
              HasSubstr(R"(Verbs:["get"]}; resolution errors: )"
                        R"([clusterroles.rbac.authorization.k8s.io "none" not found])"));
  Bind("nil");
  EXPECT_THAT(Post("clusterroles", kReader, kAlice),
              HasSubstr(R"(; resolution errors: [[clusterroles.rbac.authorization.k8s.io )"));
  EXPECT_THAT(
      Post("clusterrolebindings",
           R"({"metadata":{"name":"x"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
           R"("kind":"ClusterRole","name":"none"}})",
           kAlice),
      AllOf(StartsWith("404 "),
            HasSubstr(R"(clusterrolebindings.rbac.authorization.k8s.io "none" not found)")));
}

// The name is generated after this check.
TEST_F(RightsTest, AGeneratedNameIsNotThereYet) {
  EXPECT_THAT(Post("clusterroles",
                   R"({"metadata":{"generateName":"x"},"rules":[{"verbs":["get"],"apiGroups":[""],)"
                   R"("resources":["pods"]}]})",
                   kAlice),
              HasSubstr("clusterroles.rbac.authorization.k8s.io is forbidden: user "));
}

TEST_F(RightsTest, ALabelIsAChangeToo) {
  Post(
      "clusterroles",
      R"({"metadata":{"name":"x"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}]})");
  ResourceRequest request = Request(Verb::kPatch, "clusterroles", "", "x");
  request.body =
      R"({"metadata":{"labels":{"rbac.authorization.k8s.io/aggregate-to-view":"true"}}})";
  request.user = kAlice;
  EXPECT_THAT(Do(request), StartsWith("403 "));
  request.user = Master();
  EXPECT_THAT(Do(request), StartsWith("200 "));
}

TEST_F(RightsTest, WhoMayBindARoleNeedsNotHoldIt) {
  const std::string binding =
      R"({"metadata":{"name":"given"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
      R"("kind":"ClusterRole","name":"cluster-admin"},"subjects":[]})";
  EXPECT_THAT(Post("clusterrolebindings", binding, kAlice), StartsWith("403 "));
  Post("clusterroles",
       R"({"metadata":{"name":"binder"},"rules":[{"verbs":["bind"],)"
       R"("apiGroups":["rbac.authorization.k8s.io"],"resources":["clusterroles"]}]})");
  Bind("binder");
  EXPECT_THAT(Post("clusterrolebindings", binding, kAlice), StartsWith("201 "));
}

}  // namespace
}  // namespace dray::server::verbs::inline context
