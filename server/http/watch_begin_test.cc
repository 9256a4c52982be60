// SPDX-License-Identifier: Apache-2.0
// Watches over HTTP that begin during a commit: after their snapshot was taken and before they are
// registered for wake-ups, with no later commit.
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
#include "server/testing/hooked_store.h"
#include "server/verbs/resources.h"

namespace dray::server::http {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kBegunMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::chrono::minutes kBeginPatience{10};  // only a bug uses it up

class WatchBegin : public ::testing::TestWithParam<const char*> {
 protected:
  WatchBegin()
      : resources_(scheme_, store_, world_.world(), Log::Silent(), {}),
        api_(resources_,
             world_.world(),
             Log::Silent(),
             {.authenticator = *Authenticator::FromTokenFile("secret,admin,u1")}) {
    EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value());
    server_ = net::server::HttpServer::Start(RealWorld().clock, log_, {}, api_).value();
    client_ = std::make_unique<net::client::HttpClient>(
        RealWorld().clock,
        net::client::HttpClientOptions{
            .server = {.scheme = net::Scheme::kHttp, .host = "127.0.0.1", .port = server_->port()},
            .bearer_token = "secret"});
  }
  ~WatchBegin() override {
    server_->Shutdown(std::chrono::milliseconds(0));
    api_.Drain();
    server_.reset();
  }

  /// Writes to the verbs directly, because the hook runs on the reactor's thread.
  void CreateMap(const std::string& name) {
    verbs::ResourceRequest request;
    request.verb = verbs::Verb::kCreate;
    request.kind = scheme_.FindResource("", "v1", "configmaps");
    request.namespace_ = "default";
    request.body = R"({"metadata":{"name":")" + name + R"("}})";
    const auto answer = Wait(resources_.Handle(std::move(request)));
    EXPECT_TRUE(answer.has_value() && answer->outcome.has_value());
  }

  /// The first line with `name`.
  std::string LineAbout(std::string_view name, net::client::ResponseStream& stream) {
    while (stream.ReadLine(kBeginPatience) == net::client::ResponseStream::Outcome::kLine) {
      if (stream.line().find(name) != std::string_view::npos) return std::string(stream.line());
    }
    return "nothing";
  }

  SimulatedWorld world_{7};
  const Log log_ = Log::Silent();
  api::Scheme scheme_;
  testing::HookedStore store_;
  verbs::Resources resources_;
  HttpApi api_;
  std::unique_ptr<net::server::HttpServer> server_;
  std::unique_ptr<net::client::HttpClient> client_;
};

TEST_P(WatchBegin, SeesWhatIsCommittedMeanwhile) {
  for (const std::string name : {"in-an-empty-collection", "beside-others"}) {
    store_.AfterNextRead([&] { CreateMap(name); });
    auto stream =
        client_->Open({.method = "GET",
                       .target = std::string(kBegunMaps) + "?watch=1&" + std::string(GetParam())});
    ASSERT_TRUE(stream.has_value()) << stream.error().message;
    EXPECT_THAT(LineAbout(name, **stream),
                AllOf(StartsWith(R"({"type":"ADDED")"), HasSubstr(R"("name":")" + name)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    EveryWay,
    WatchBegin,
    ::testing::Values(
        "",
        "resourceVersion=0",
        "resourceVersion=1",
        "allowWatchBookmarks=1",
        "timeoutSeconds=0",
        "fieldSelector=metadata.name!=none",
        "resourceVersionMatch=NotOlderThan&sendInitialEvents=true",
        "resourceVersionMatch=NotOlderThan&sendInitialEvents=true&resourceVersion=0",
        "resourceVersionMatch=NotOlderThan&sendInitialEvents=true&allowWatchBookmarks="
        "1",
        "resourceVersionMatch=NotOlderThan&sendInitialEvents=false"));

}  // namespace
}  // namespace dray::server::http
