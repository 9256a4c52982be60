// SPDX-License-Identifier: Apache-2.0
// A group that another server answers for, both over loopback.
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/client/http_client.h"
#include "net/server/http_server.h"
#include "net/testing/server_fixture.h"
#include "net/tls/context.h"
#include "server/http/http_api.h"
#include "server/testing/commits.h"
#include "server/testing/fixture.h"

namespace dray::server::http {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

class RemoteRoutes : public server::testing::ServerTest {
 protected:
  RemoteRoutes()
      : api_(
            resources_,
            world_.world(),
            Log::Silent(),
            {.authenticator = *Authenticator::FromTokenFile("secret,admin,u1,\"system:masters\"")}),
        server_(net::server::HttpServer::Start(RealWorld().clock, Log::Silent(), {}, api_).value()),
        client_(
            RealWorld().clock,
            {.server = {.scheme = net::Scheme::kHttp, .host = "127.0.0.1", .port = server_->port()},
             .bearer_token = "secret",
             .user_agent = "tester/1"}) {
    const net::testing::Pki pki =
        net::testing::Pki::Make(world_.world().random, world_.world().clock.Now());
    net::server::HttpServerOptions options;
    options.tls = net::tls::ServerContext::Create({pki.server, ""}).value();
    far_ = net::server::HttpServer::Start(world_.world().clock, Log::Silent(), options, far_api_)
               .value();
  }
  ~RemoteRoutes() override {
    server_->Shutdown(std::chrono::milliseconds(0));
    api_.Drain();
    server_.reset();
  }

  void Register() {
    Post("services",
         "default",
         R"({"metadata":{"name":"far"},"spec":{"clusterIP":"None","ports":[{"port":443}]}})");
    Post("endpointslices",
         "default",
         fmt::format(R"({{"metadata":{{"name":"far-1","labels":)"
                     R"({{"kubernetes.io/service-name":"far"}}}},"addressType":"IPv4",)"
                     R"("ports":[{{"name":"","port":{}}}],)"
                     R"("endpoints":[{{"addresses":["127.0.0.1"]}}]}})",
                     far_->port()));
    Post("apiservices",
         "",
         R"({"metadata":{"name":"v1.far.test"},"spec":{"group":"far.test","version":"v1",)"
         R"("groupPriorityMinimum":100,"versionPriority":10,"insecureSkipTLSVerify":true,)"
         R"("service":{"namespace":"default","name":"far"}}})");
  }

  // Waits for the controller, which works on a thread of its own.
  void AwaitService(std::string_view text) {
    commits_.WaitUntil([&] { return Read("apiservices", "", "v1.far.test").contains(text); });
  }

  // The code and body of an answer.
  std::string Get(std::string_view target, std::string_view accept = "application/json") {
    net::client::ClientRequest request{.method = "GET", .target = std::string(target)};
    request.headers.Add("Accept", accept);
    const auto response = client_.Send(request);
    EXPECT_TRUE(response.has_value());
    return response.has_value() ? fmt::format("{} {}", response->status, response->body) : "";
  }

  server::testing::Commits commits_{store_};
  net::testing::FunctionHandler far_api_{[](const net::Request& request,
                                            const std::shared_ptr<net::Responder>& responder) {
    constexpr std::string_view kList =
        R"({"kind":"APIResourceList","groupVersion":"far.test/v1","resources":[)"
        R"({"name":"lamps","singularName":"lamp","namespaced":true,"kind":"Lamp",)"
        R"("verbs":["get","list"]}]})";
    const bool is_discovery = request.target == "/apis/far.test/v1";
    std::string body =
        is_discovery
            ? std::string(kList)
            : fmt::format("{} asks for {}", request.headers.Get("X-Remote-User"), request.target);
    responder->Respond({}, net::Bytes(std::move(body)));
  }};
  std::unique_ptr<net::server::HttpServer> far_;
  HttpApi api_;
  std::unique_ptr<net::server::HttpServer> server_;
  net::client::HttpClient client_;
};

TEST_F(RemoteRoutes, AGroupOfAnotherServerIsFoundAndAnswered) {
  EXPECT_THAT(Get("/apis"), Not(HasSubstr("far.test")));
  Register();
  AwaitService(R"("reason":"Passed")");
  EXPECT_THAT(
      Get("/apis"),
      AllOf(StartsWith(R"(200 {"kind":"APIGroupList")"),
            HasSubstr(R"({"name":"far.test","versions":[{"groupVersion":"far.test/v1",)"
                      R"("version":"v1"}],"preferredVersion":{"groupVersion":"far.test/v1",)"
                      R"("version":"v1"}}]})")));
  EXPECT_THAT(Get("/apis", kAggregated),
              AllOf(StartsWith(R"(200 {"kind":"APIGroupDiscoveryList")"),
                    HasSubstr(R"({"metadata":{"name":"far.test"},"versions":[{"version":"v1",)"
                              R"("resources":[{"resource":"lamps","responseKind":)"
                              R"({"group":"","version":"","kind":"Lamp"},"scope":"Namespaced",)"
                              R"("singularResource":"lamp","verbs":["get","list"]}],)"
                              R"("freshness":"Current"}]}]})")));
  EXPECT_THAT(Get("/api", kAggregated), Not(HasSubstr("far.test")));
  EXPECT_THAT(Get("/apis/far.test"), HasSubstr(R"("kind":"APIGroup")"));
  EXPECT_THAT(Get("/apis/far.test/v1"), HasSubstr(R"("kind":"APIResourceList")"));
  EXPECT_EQ(Get("/apis/far.test/v1/namespaces/default/lamps?limit=3"),
            "200 admin asks for /apis/far.test/v1/namespaces/default/lamps?limit=3");
}

TEST_F(RemoteRoutes, AServiceThatIsGoneLeavesAStaleGroup) {
  Register();
  AwaitService(R"("reason":"Passed")");
  Delete("services", "default", "far");
  AwaitService(R"("reason":"ServiceNotFound")");
  EXPECT_THAT(Get("/apis", kAggregated),
              HasSubstr(R"({"metadata":{"name":"far.test"},"versions":[{"version":"v1",)"
                        R"("freshness":"Stale"}]}]})"));
  EXPECT_EQ(Get("/apis/far.test/v1/lamps"), "503 service unavailable\n");
  Delete("apiservices", "", "v1.far.test");
}

}  // namespace
}  // namespace dray::server::http
