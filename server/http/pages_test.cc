// SPDX-License-Identifier: Apache-2.0
// Pages over loopback: who may read them, and what a question may list.
#include "server/http/pages.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "net/client/http_client.h"
#include "net/server/http_server.h"
#include "server/errors/errors.h"
#include "server/http/http_api.h"
#include "server/verbs/resources.h"
#include "store/memory_store.h"

namespace dray::server::http {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kSecrets =
    "secret,admin,u1,\"system:masters\"\n"
    "narrow,ann,u2\n";

/// One file, and the question `count`: how many claims there are in a namespace.
class SomePages final : public Pages {
 public:
  PageAnswer File(std::string_view path, const net::Headers& headers) const override {
    if (path != "/ui/") return {.status = 404, .body = "no page"};
    if (headers.Get("If-None-Match") == "\"1\"") return {.status = 304};
    return {.headers = {{"Content-Type", "text/html"}, {"ETag", "\"1\""}}, .body = "<p>hello</p>"};
  }
  Result<std::string> Answer(const PageQuestion& question) const override {
    if (question.name != "count") {
      return Fail(errors::WithoutSubject(StatusReason::kNotFound, "no such question"));
    }
    const api::Scheme scheme;
    const auto objects = question.list(*scheme.FindKind("resource.k8s.io/v1", "ResourceClaim"),
                                       std::string(question.query.First("namespace").value_or("")));
    if (!objects) return Fail(objects.error());
    return fmt::format("{}", objects->size());
  }
};

class PagesTest : public ::testing::Test {
 protected:
  explicit PagesTest(std::shared_ptr<const Pages> pages = std::make_shared<SomePages>())
      : resources_(scheme_, store_, world_.world(), Log::Silent(), {.rbac = true}) {
    EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value());
    EXPECT_TRUE(Wait(resources_.BootstrapObjects()).has_value());
    Authenticator authenticator = *Authenticator::FromTokenFile(kSecrets);
    authenticator.RefuseAnonymous();
    api_ = std::make_unique<HttpApi>(
        resources_,
        world_.world(),
        Log::Silent(),
        HttpApiOptions{.authenticator = authenticator, .pages = std::move(pages)});
    auto server = net::server::HttpServer::Start(RealWorld().clock, log_, {.reactors = 1}, *api_);
    EXPECT_TRUE(server.has_value());
    server_ = *std::move(server);
  }
  ~PagesTest() override {
    server_->Shutdown(std::chrono::milliseconds(0));
    api_->Drain();
    server_.reset();
  }

  /// "200 body"; an empty token shows no credentials.
  std::string Do(std::string_view method,
                 std::string_view target,
                 std::string token = {},
                 std::string body = {},
                 std::string_view known = {}) {
    net::client::HttpClient client(
        RealWorld().clock,
        {.server = {.scheme = net::Scheme::kHttp, .host = "127.0.0.1", .port = server_->port()},
         .bearer_token = std::move(token),
         .user_agent = "tester/1"});
    net::client::ClientRequest request{.method = std::string(method),
                                       .target = std::string(target)};
    if (!body.empty()) request.headers.Add("Content-Type", "application/json");
    if (!known.empty()) request.headers.Add("If-None-Match", known);
    request.body = std::move(body);
    const auto response = client.Send(request);
    EXPECT_TRUE(response.has_value());
    return fmt::format("{} {}", response->status, response->body);
  }

  SimulatedWorld world_{7};
  api::Scheme scheme_;
  store::MemoryStore store_;
  Log log_ = Log::Silent();
  verbs::Resources resources_;
  std::unique_ptr<HttpApi> api_;
  std::unique_ptr<net::server::HttpServer> server_;
};

TEST_F(PagesTest, FilesNeedNoCredentials) {
  EXPECT_EQ(Do("GET", "/ui/"), "200 <p>hello</p>");
  EXPECT_EQ(Do("GET", "/ui/", "unknown"), "200 <p>hello</p>");
  EXPECT_EQ(Do("GET", "/ui/", "", "", "\"1\""), "304 ");
  EXPECT_EQ(Do("GET", "/ui/other"), "404 no page");
  EXPECT_THAT(Do("POST", "/ui/", "secret", "{}"), StartsWith("405 "));
  EXPECT_THAT(Do("GET", "/api/v1/pods"), StartsWith("401 "));
}

TEST_F(PagesTest, QuestionsNeedCredentials) {
  EXPECT_THAT(Do("GET", "/ui/api/count"), StartsWith("401 "));
  EXPECT_THAT(Do("GET", "/ui/api/count", "unknown"), StartsWith("401 "));
  EXPECT_THAT(Do("GET", "/ui/%61pi/count"), StartsWith("401 "));
  EXPECT_EQ(Do("GET", "/ui/api/count", "secret"), "200 0");
  EXPECT_THAT(Do("GET", "/ui/api/other", "secret"), StartsWith("404 "));
  EXPECT_THAT(Do("DELETE", "/ui/api/count", "secret"), StartsWith("405 "));
}

TEST_F(PagesTest, ListsOfQuestionsHaveTheRightsOfTheUser) {
  const std::string claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
  const std::string rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/";
  EXPECT_THAT(Do("POST", claims, "secret", R"({"metadata":{"name":"a"},"spec":{"devices":{}}})"),
              StartsWith("201 "));
  EXPECT_THAT(Do("GET", "/ui/api/count?namespace=default", "narrow"),
              AllOf(StartsWith("403 "),
                    HasSubstr(R"(User \"ann\" cannot list resource \"resourceclaims\")")));
  EXPECT_THAT(Do("POST",
                 rbac + "roles",
                 "secret",
                 R"({"metadata":{"name":"r"},"rules":[{"apiGroups":["resource.k8s.io"],)"
                 R"("resources":["resourceclaims"],"verbs":["list"]}]})"),
              StartsWith("201 "));
  EXPECT_THAT(Do("POST",
                 rbac + "rolebindings",
                 "secret",
                 R"({"metadata":{"name":"b"},"subjects":[{"kind":"User","name":"ann",)"
                 R"("apiGroup":"rbac.authorization.k8s.io"}],"roleRef":{"kind":"Role",)"
                 R"("name":"r","apiGroup":"rbac.authorization.k8s.io"}})"),
              StartsWith("201 "));
  EXPECT_EQ(Do("GET", "/ui/api/count?namespace=default", "narrow"), "200 1");
  EXPECT_THAT(Do("GET", "/ui/api/count", "narrow"), StartsWith("403 "));
}

class WithoutPagesTest : public PagesTest {
 protected:
  WithoutPagesTest() : PagesTest(nullptr) {}
};

TEST_F(WithoutPagesTest, NothingIsServedThere) {
  EXPECT_THAT(Do("GET", "/ui/"), StartsWith("401 "));
  EXPECT_THAT(Do("GET", "/ui/", "secret"), StartsWith("404 "));
  EXPECT_THAT(Do("GET", "/ui/api/count", "secret"), StartsWith("404 "));
}

}  // namespace
}  // namespace dray::server::http
