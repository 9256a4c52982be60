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
#include "server/storage/commit_times.h"
#include "server/verbs/read/past.h"
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

/// One file, and the questions `count`: how many claims there are in a namespace; and `length`: how
/// long its body is.
class SomePages final : public Pages {
 public:
  PageAnswer File(std::string_view path, const net::Headers& headers) const override {
    if (path != "/ui/") return {.status = 404, .body = "no page"};
    if (headers.Get("If-None-Match") == "\"1\"") return {.status = 304};
    return {.headers = {{"Content-Type", "text/html"}, {"ETag", "\"1\""}}, .body = "<p>hello</p>"};
  }
  bool HasBody(std::string_view name) const override { return name == "length"; }
  Result<std::string> Answer(const PageQuestion& question) const override {
    if (question.name == "past") return Past(question);
    if (question.name == "length") return fmt::format("{}", question.body.size());
    if (question.name != "count") {
      return Fail(errors::WithoutSubject(StatusReason::kNotFound, "no such question"));
    }
    const api::Scheme scheme;
    const auto objects = question.list(*scheme.FindKind("resource.k8s.io/v1", "ResourceClaim"),
                                       std::string(question.query.First("namespace").value_or("")));
    if (!objects) return Fail(objects.error());
    return fmt::format("{}", objects->size());
  }

 private:
  /// "2: +a -a": the number of the first revision, and which claims came and went.
  static Result<std::string> Past(const PageQuestion& question) {
    const api::Scheme scheme;
    std::string changes;
    const auto see = [&](const verbs::PastChange& change, WallTime /*time*/) {
      const api::Object* const before = change.before();
      const api::Object& named = change.after != nullptr ? *change.after : *before;
      const char sign = before == nullptr ? '+' : change.after == nullptr ? '-' : '~';
      changes += fmt::format(" {}{}", sign, named.metadata().name);
    };
    const auto span = question.past(*scheme.FindKind("resource.k8s.io/v1", "ResourceClaim"),
                                    std::string(question.query.First("namespace").value_or("")),
                                    see);
    if (!span) return Fail(span.error());
    if (span->end.time < span->begin.time) return std::string("time goes back");
    return fmt::format("{}{}", span->begin.revision.value(), changes);
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
        HttpApiOptions{
            .authenticator = authenticator,
            .pages = std::move(pages),
            .commit_times = std::make_shared<storage::CommitTimes>(store_, world_.world().clock)});
    begun_ = store_.Read()->revision();
    auto server = net::server::HttpServer::Start(RealWorld().clock, log_, {.reactors = 1}, *api_);
    EXPECT_TRUE(server.has_value());
    server_ = *std::move(server);
  }
  ~PagesTest() override {
    server_->Shutdown(std::chrono::milliseconds(0));
    api_->Drain();
    server_.reset();
  }

  struct Headers {
    std::string_view known = {};
    std::string_view type = "application/json";
  };

  /// "200 body"; an empty token shows no credentials.
  std::string Do(std::string_view method,
                 std::string_view target,
                 std::string token = {},
                 std::string body = {},
                 const Headers& headers = {.known = {}, .type = "application/json"}) {
    net::client::HttpClient client(
        RealWorld().clock,
        {.server = {.scheme = net::Scheme::kHttp, .host = "127.0.0.1", .port = server_->port()},
         .bearer_token = std::move(token),
         .user_agent = "tester/1"});
    net::client::ClientRequest request{.method = std::string(method),
                                       .target = std::string(target)};
    if (!body.empty()) request.headers.Add("Content-Type", headers.type);
    if (!headers.known.empty()) request.headers.Add("If-None-Match", headers.known);
    request.body = std::move(body);
    const auto response = client.Send(request);
    EXPECT_TRUE(response.has_value());
    return fmt::format("{} {}", response->status, response->body);
  }

  SimulatedWorld world_{7};
  api::Scheme scheme_;
  store::MemoryStore store_;
  Revision begun_;  // the first that has a time
  Log log_ = Log::Silent();
  verbs::Resources resources_;
  std::unique_ptr<HttpApi> api_;
  std::unique_ptr<net::server::HttpServer> server_;
};

TEST_F(PagesTest, FilesNeedNoCredentials) {
  EXPECT_EQ(Do("GET", "/ui/"), "200 <p>hello</p>");
  EXPECT_EQ(Do("GET", "/ui/", "unknown"), "200 <p>hello</p>");
  EXPECT_EQ(Do("GET", "/ui/", "", "", {.known = "\"1\""}), "304 ");
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

TEST_F(PagesTest, AQuestionWithABodyIsPosted) {
  EXPECT_EQ(Do("POST", "/ui/api/length", "secret", "{}"), "200 2");
  EXPECT_THAT(Do("POST", "/ui/api/length", "", "{}"), StartsWith("401 "));
  EXPECT_THAT(Do("GET", "/ui/api/length", "secret"),
              AllOf(StartsWith("405 "), HasSubstr("send POST instead")));
  EXPECT_THAT(Do("PUT", "/ui/api/length", "secret", "{}"), StartsWith("405 "));
  EXPECT_THAT(Do("POST", "/ui/api/count", "secret", "{}"),
              AllOf(StartsWith("405 "), HasSubstr("send GET instead")));
  EXPECT_EQ(Do("POST", "/ui/api/length", "secret", std::string(kQuestionBytesMax, ' ')),
            fmt::format("200 {}", kQuestionBytesMax));
  EXPECT_THAT(Do("POST", "/ui/api/length", "secret", std::string(kQuestionBytesMax + 1, ' ')),
              StartsWith("413 "));
}

// Browsers send such bodies for pages of others without asking first.
TEST_F(PagesTest, ABodyIsJsonByItsType) {
  const auto post = [&](std::string_view type) {
    return Do("POST", "/ui/api/length", "secret", "{}", {.type = type});
  };
  EXPECT_EQ(post("application/json; charset=utf-8"), "200 2");
  EXPECT_EQ(post("Application/JSON"), "200 2");
  EXPECT_THAT(post("text/plain"), StartsWith("415 "));
  EXPECT_THAT(post("application/x-www-form-urlencoded"), StartsWith("415 "));
  EXPECT_THAT(post("text/plain; application/json"), StartsWith("415 "));
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
  EXPECT_THAT(Do("GET", "/ui/api/past?namespace=default", "narrow"), StartsWith("200 "));
  EXPECT_THAT(Do("GET", "/ui/api/past", "narrow"), StartsWith("403 "));
  EXPECT_THAT(Do("GET", "/ui/api/count", "narrow"), StartsWith("403 "));
}

TEST_F(PagesTest, ThePastBeginsWithTheServerAndMovesWithTheStore) {
  const std::string claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
  const std::string begin = fmt::format("200 {}", begun_.value());
  EXPECT_EQ(Do("GET", "/ui/api/past", "secret"), begin);
  for (const std::string_view name : {"a", "b"}) {
    EXPECT_THAT(
        Do("POST",
           claims,
           "secret",
           fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"devices":{{}}}}}})", name)),
        StartsWith("201 "));
  }
  EXPECT_THAT(Do("DELETE", claims + "/a", "secret"), StartsWith("200 "));
  EXPECT_EQ(Do("GET", "/ui/api/past", "secret"), begin + " +a +b -a");
  EXPECT_EQ(Do("GET", "/ui/api/past?namespace=other", "secret"), begin);
  const Revision newest = store_.Read()->revision();
  EXPECT_TRUE(store_.Compact(Revision(newest.value() - 1)).has_value());
  EXPECT_EQ(Do("GET", "/ui/api/past", "secret"), fmt::format("200 {} -a", newest.value() - 1));
}

TEST_F(PagesTest, AQuestionIsAboutTheRevisionThatItNames) {
  const std::string claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
  const std::string at = fmt::format("/ui/api/count?resourceVersion={}", begun_.value());
  EXPECT_THAT(Do("POST", claims, "secret", R"({"metadata":{"name":"a"},"spec":{"devices":{}}})"),
              StartsWith("201 "));
  EXPECT_EQ(Do("GET", "/ui/api/count", "secret"), "200 1");
  EXPECT_EQ(Do("GET", at, "secret"), "200 0");
  EXPECT_THAT(Do("GET", "/ui/api/count?resourceVersion=x", "secret"), StartsWith("400 "));
  EXPECT_TRUE(store_.Compact(store_.Read()->revision()).has_value());
  EXPECT_THAT(Do("GET", at, "secret"), StartsWith("410 "));
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
