// SPDX-License-Identifier: Apache-2.0
// Requests of users whom roles give rights, over loopback.
#include "server/http/rights.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "net/client/http_client.h"
#include "net/server/http_server.h"
#include "server/http/http_api.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"

namespace dray::server::http {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kUsers =
    "admin-token,admin,u1,\"system:masters\"\nbob-token,bob,u2\nalice-token,alice,u3,\"team\"\n";

class HttpRightsTest : public ::testing::Test {
 protected:
  HttpRightsTest()
      : resources_(scheme_, store_, world_.world(), Log::Silent(), verbs::Options{.rbac = true}),
        api_(resources_,
             world_.world(),
             Log::Silent(),
             {.authenticator = *Authenticator::FromTokenFile(kUsers)}) {
    EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value());
    EXPECT_TRUE(Wait(resources_.BootstrapObjects()).has_value());
    server_ = *net::server::HttpServer::Start(RealWorld().clock, log_, {.reactors = 1}, api_);
  }
  ~HttpRightsTest() override {
    server_->Shutdown(std::chrono::milliseconds(0));
    api_.Drain();
    server_.reset();
  }

  /// "403 {…}".
  std::string Do(std::string_view user,
                 std::string_view method,
                 std::string_view target,
                 std::string body = {},
                 std::string_view as = {}) {
    net::client::HttpClient client(
        RealWorld().clock,
        {.server = {.scheme = net::Scheme::kHttp, .host = "127.0.0.1", .port = server_->port()},
         .bearer_token = user.empty() ? "" : std::string(user) + "-token",
         .user_agent = "tester/1"});
    net::client::ClientRequest request{.method = std::string(method),
                                       .target = std::string(target)};
    if (!body.empty()) request.headers.Add("Content-Type", "application/json");
    if (!as.empty()) request.headers.Add("Impersonate-User", as);
    request.body = std::move(body);
    const auto response = client.Send(request);
    EXPECT_TRUE(response.has_value());
    return response ? std::to_string(response->status) + " " + response->body : "";
  }
  void Give(std::string_view user, std::string_view rule) {
    const std::string name(user);
    Do("admin",
       "POST",
       "/apis/rbac.authorization.k8s.io/v1/clusterroles",
       R"({"metadata":{"name":")" + name + R"("},"rules":[)" + std::string(rule) + "]}");
    Do("admin",
       "POST",
       "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
       R"({"metadata":{"name":")" + name +
           R"("},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":")" +
           name +
           R"("},"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":")" +
           name + R"("}]})");
  }

  SimulatedWorld world_{7};
  api::Scheme scheme_;
  store::MemoryStore store_;
  Log log_ = Log::Silent();
  verbs::Resources resources_;
  HttpApi api_;
  std::unique_ptr<net::server::HttpServer> server_;
};

// Trap 19: who has the right to a resource learns that a version of it is not served, and everybody
// may read what is.
TEST_F(HttpRightsTest, AVersionThatIsNotServedIsNotFoundForWhoMayAsk) {
  constexpr std::string_view kUnserved = "/apis/resource.k8s.io/v1alpha9/resourceslices";
  EXPECT_THAT(Do("bob", "GET", kUnserved), StartsWith("403 "));
  Give("bob",
       R"({"verbs":["list"],"apiGroups":["resource.k8s.io"],"resources":["resourceslices"]})");
  EXPECT_THAT(Do("bob", "GET", kUnserved), StartsWith("404 "));
  EXPECT_THAT(Do("bob", "GET", "/apis/resource.k8s.io/v1/resourceslices"), StartsWith("200 "));
  for (const std::string_view path : {"/api", "/apis", "/apis/resource.k8s.io/v1", "/openapi/v2"}) {
    EXPECT_THAT(Do("alice", "GET", path), StartsWith("200 ")) << path;
  }
}

TEST_F(HttpRightsTest, NobodyInParticularReadsHealthAndVersion) {
  EXPECT_THAT(Do("", "GET", "/readyz"), StartsWith("200 "));
  EXPECT_THAT(Do("", "GET", "/version"), StartsWith("200 "));
  EXPECT_THAT(Do("", "GET", "/apis"),
              HasSubstr(R"(forbidden: User \"system:anonymous\" cannot get path \"/apis\")"));
}

TEST_F(HttpRightsTest, AListOfOneObjectNeedsTheRightToIt) {
  Give(
      "bob",
      R"({"verbs":["list","watch"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["a"]})");
  const std::string all = "/api/v1/namespaces/default/configmaps";
  EXPECT_THAT(Do("bob", "GET", all), StartsWith("403 "));
  EXPECT_THAT(Do("bob", "GET", all + "?fieldSelector=metadata.name%3Db"), StartsWith("403 "));
  EXPECT_THAT(Do("bob", "GET", all + "?fieldSelector=metadata.name%3Da"), StartsWith("200 "));
}

TEST_F(HttpRightsTest, ANamespaceIsInItself) {
  EXPECT_THAT(Do("bob", "GET", "/api/v1/namespaces/default"),
              HasSubstr(R"(in API group \"\" in the namespace \"default\")"));
}

TEST_F(HttpRightsTest, SomebodyElseIsOnlyWhoMayBe) {
  const std::string target = "/api/v1/namespaces/default/configmaps";
  EXPECT_THAT(Do("bob", "GET", target, "", "alice"),
              HasSubstr(R"(User \"bob\" cannot impersonate-on:user-info:list resource)"));
  Give(
      "bob",
      R"({"verbs":["impersonate"],"apiGroups":[""],"resources":["users"],"resourceNames":["alice"]})");
  EXPECT_THAT(Do("bob", "GET", target, "", "alice"), HasSubstr(R"(User \"alice\" cannot list)"));
  EXPECT_THAT(Do("bob", "GET", target, "", "admin"), HasSubstr(R"(User \"bob\" cannot)"));
}

TEST_F(HttpRightsTest, SomebodyElseInOneKindOfRequest) {
  const std::string target = "/api/v1/namespaces/default/configmaps";
  Give("alice", R"({"verbs":["list"],"apiGroups":[""],"resources":["configmaps"]})");
  Give(
      "bob",
      R"({"verbs":["impersonate:user-info"],"apiGroups":["authentication.k8s.io"],"resources":["users"]},)"
      R"({"verbs":["impersonate-on:user-info:list"],"apiGroups":[""],"resources":["configmaps"]})");
  EXPECT_THAT(Do("bob", "GET", target, "", "alice"), StartsWith("200 "));
  EXPECT_THAT(Do("bob", "GET", target + "/a", "", "alice"),
              HasSubstr(R"(User \"bob\" cannot impersonate-on:user-info:get resource)"));
}

}  // namespace
}  // namespace dray::server::http
