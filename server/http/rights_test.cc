// SPDX-License-Identifier: Apache-2.0
// Requests of users with roles, over loopback.
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

constexpr std::string_view kApply = "application/apply-patch+yaml";
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

  /// The code and body of the answer to `user`: "403 {…}".
  std::string Do(std::string_view user,
                 std::string_view method,
                 std::string_view target,
                 std::string body = {},
                 std::string_view as = {},
                 std::string_view type = "application/json") {
    net::client::HttpClient client(
        RealWorld().clock,
        {.server = {.scheme = net::Scheme::kHttp, .host = "127.0.0.1", .port = server_->port()},
         .bearer_token = user.empty() ? "" : std::string(user) + "-token",
         .user_agent = "tester/1"});
    net::client::ClientRequest request{.method = std::string(method),
                                       .target = std::string(target)};
    if (!body.empty()) request.headers.Add("Content-Type", type);
    if (!as.empty()) request.headers.Add("Impersonate-User", as);
    request.body = std::move(body);
    const auto response = client.Send(request);
    EXPECT_TRUE(response.has_value());
    return response ? std::to_string(response->status) + " " + response->body : "";
  }
  std::string Apply(std::string_view user, const std::string& target, std::string body) {
    return Do(user, "PATCH", target + "?fieldManager=m", std::move(body), {}, kApply);
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

// A user with the right to a resource gets "not found" for a version that is not served; every user
// may read discovery.
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

// A rule with names allows no creates, whatever the query has, and no requests for whole
// collections.
TEST_F(HttpRightsTest, ASelectorNamesOnlyWhatIsListed) {
  Give("bob",
       R"({"verbs":["*"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["a"]})");
  const std::string all = "/api/v1/namespaces/default/configmaps";
  const std::string query = "?fieldSelector=metadata.name%3Da";
  EXPECT_THAT(Do("bob", "GET", all + query), StartsWith("200 "));
  for (const std::string_view name : {"a", "evil"}) {
    const std::string body = R"({"metadata":{"name":")" + std::string(name) + R"("}})";
    EXPECT_THAT(Do("bob", "POST", all + query, body), StartsWith("403 ")) << name;
  }
  EXPECT_THAT(Do("bob", "DELETE", all + query), StartsWith("403 "));
  EXPECT_THAT(Do("bob", "GET", "/api/v1/watch/namespaces/default/configmaps" + query),
              StartsWith("403 "))
      << "the old form of watches has no selectors";
  for (const std::string_view selector : {"metadata.name!%3Da",
                                          "metadata.name%3Db,spec.a%3Da",
                                          "metadata.name%3D",
                                          "metadata.name%3Da%5C,b",
                                          "xmetadata.name%3Da",
                                          "spec.x%3Dy%5C,metadata.name%3Da"}) {
    EXPECT_THAT(Do("bob", "GET", all + "?fieldSelector=" + std::string(selector)),
                StartsWith("403 "))
        << selector;
  }
}

// A user that may only change existing objects cannot create one by an update or an apply.
TEST_F(HttpRightsTest, WhatCreatesNeedsTheRightTo) {
  Give("bob",
       R"({"verbs":["patch","update"],"apiGroups":["","coordination.k8s.io"],)"
       R"("resources":["configmaps","leases"]})");
  const std::string lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/a";
  const std::string body =
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"a"}})";
  EXPECT_THAT(Do("bob", "PUT", lease, body),
              HasSubstr(R"(User \"bob\" cannot create resource \"leases\")"));
  EXPECT_THAT(Apply("bob", lease, body),
              HasSubstr(R"(User \"bob\" cannot create resource \"leases\")"));
  EXPECT_THAT(Do("admin", "PUT", lease, body), StartsWith("201 "));
  EXPECT_THAT(Do("bob", "PUT", lease, body), HasSubstr("must be specified for an update"));
  EXPECT_THAT(Apply("bob", lease, body), StartsWith("200 "));
  Give("alice",
       R"({"verbs":["patch","create"],"apiGroups":[""],"resources":["configmaps"],)"
       R"("resourceNames":["mine"]})");
  const std::string maps = "/api/v1/namespaces/default/configmaps/";
  const auto map = [](const std::string& name) {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + R"("}})";
  };
  EXPECT_THAT(Apply("alice", maps + "mine", map("mine")), StartsWith("201 "))
      << "here the path names it";
}

TEST_F(HttpRightsTest, ARefusalShowsNoMarkup) {
  EXPECT_THAT(Do("bob", "GET", "/api/v1/namespaces/%3Cb%3E/configmaps"),
              HasSubstr(R"(in the namespace \"\u0026lt;b\u0026gt;\")"));
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
