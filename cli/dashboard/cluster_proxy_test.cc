// SPDX-License-Identifier: Apache-2.0
// A proxy before a cluster that is a function.
#include "cli/dashboard/cluster_proxy.h"

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
#include "base/world.h"
#include "client/kubeconfig.h"
#include "net/http.h"
#include "net/server/http_server.h"
#include "net/testing/server_fixture.h"

namespace dray::cli::inline dashboard {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ClusterProxyTest : public net::testing::ServerTest {
 protected:
  ClusterProxyTest() {
    StartServer([this](const net::Request& request, std::shared_ptr<net::Responder> responder) {
      Answer(request, std::move(responder));
    });
  }
  ~ClusterProxyTest() override {
    if (front_ == nullptr) return;
    front_->Shutdown(std::chrono::milliseconds(0));
    proxy_->Drain();
  }

  void OpenProxy(size_t watches_max = ClusterProxy::kWatchesMax) {
    auto proxy = ClusterProxy::Open(
        RealWorld(),
        {.server = fmt::format("http://127.0.0.1:{}", server_->port()), .token = "lent"},
        watches_max);
    ASSERT_TRUE(proxy.has_value()) << proxy.error().message;
    proxy_ = *std::move(proxy);
    auto front = net::server::HttpServer::Start(RealWorld().clock, log_, {.reactors = 1}, *proxy_);
    ASSERT_TRUE(front.has_value());
    front_ = *std::move(front);
  }

  /// The cluster. A watch waits for what the test writes.
  void Answer(const net::Request& request, std::shared_ptr<net::Responder> responder) {
    if (request.query().find("watch=") != std::string_view::npos) {
      if (request.path() == "/api/v1/refused") {
        net::ResponseHead head{.status = 403};
        return responder->Respond(std::move(head), net::Bytes(std::string("no")));
      }
      responder->OnClose([this] { events_.Add("closed"); });
      responder->Start({});
      responder->Write(net::Bytes(std::string("{\"type\":\"ADDED\"}\n")));
      if (request.path() == "/api/v1/short") return responder->Finish();
      watches_.push_back(std::move(responder));
      return;
    }
    net::ResponseHead head{.status = request.path() == "/api/v1/gone" ? 410 : 200};
    head.headers.Add("Content-Type", "text/x");
    responder->Respond(std::move(head),
                       net::Bytes(fmt::format("{} {} accept={} by={}",
                                              request.method,
                                              request.target,
                                              request.headers.Get("Accept"),
                                              request.headers.Get("Authorization"))));
  }

  std::string Request(std::string_view first, std::string_view more = {}) const {
    return fmt::format("{} HTTP/1.1\r\nHost: h\r\n{}\r\n", first, more);
  }
  /// The whole answer to one request.
  std::string Do(std::string_view first, std::string_view more = {}) {
    const net::testing::RawSocket socket(front_->port());
    socket.Send(Request(first, fmt::format("Connection: close\r\n{}", more)));
    return socket.ReadAll();
  }

  std::vector<std::shared_ptr<net::Responder>> watches_;  // used on the cluster's thread
  std::unique_ptr<ClusterProxy> proxy_;
  std::unique_ptr<net::server::HttpServer> front_;
};

TEST_F(ClusterProxyTest, LendsTheCredentialsAndKeepsItsOwnToken) {
  OpenProxy();
  EXPECT_THAT(
      Do("GET /api/v1/pods?limit=5", "Authorization: Bearer own\r\nAccept: application/json\r\n"),
      AllOf(StartsWith("HTTP/1.1 200 "),
            HasSubstr("Content-Type: text/x"),
            EndsWith("GET /api/v1/pods?limit=5 accept=application/json by=Bearer lent")));
  EXPECT_THAT(Do("GET /api/v1/gone"), StartsWith("HTTP/1.1 410 "));
}

TEST_F(ClusterProxyTest, AWatchComesAsItHappens) {
  OpenProxy();
  const net::testing::RawSocket socket(front_->port());
  socket.Send(Request("GET /api/v1/pods?watch=true"));
  EXPECT_THAT(socket.ReadUntil("ADDED"), StartsWith("HTTP/1.1 200 "));
  server_->reactors().front()->Post([this] {
    watches_[0]->Write(net::Bytes(std::string("{\"type\":\"DELETED\"}\n")));
    watches_[0]->Finish();
  });
  EXPECT_THAT(socket.ReadUntil("\r\n0\r\n"), HasSubstr("DELETED"));
}

TEST_F(ClusterProxyTest, AWatchEndsWithItsReader) {
  OpenProxy();
  net::testing::RawSocket socket(front_->port());
  socket.Send(Request("GET /api/v1/pods?watch=1"));
  socket.ReadUntil("ADDED");
  socket.Close();
  EXPECT_EQ(events_.Next(), "closed");
}

TEST_F(ClusterProxyTest, ARefusedWatchSaysSo) {
  OpenProxy();
  EXPECT_THAT(Do("GET /api/v1/refused?watch=true"),
              AllOf(StartsWith("HTTP/1.1 403 "), EndsWith("no")));
}

TEST_F(ClusterProxyTest, ThereAreSoManyWatches) {
  OpenProxy(/*watches_max=*/2);
  const net::testing::RawSocket first(front_->port());
  first.Send(Request("GET /api/v1/pods?watch=true"));
  first.ReadUntil("ADDED");
  {
    const net::testing::RawSocket second(front_->port());
    second.Send(Request("GET /api/v1/pods?watch=true"));
    second.ReadUntil("ADDED");
    EXPECT_THAT(Do("GET /api/v1/pods?watch=true"), StartsWith("HTTP/1.1 429 "));
  }
  EXPECT_EQ(events_.Next(), "closed");  // of the second
  std::string answer;
  while (!answer.starts_with("HTTP/1.1 200 ")) answer = Do("GET /api/v1/short?watch=true");
}

TEST_F(ClusterProxyTest, ACuttingOffOfTheClusterIsSaid) {
  OpenProxy();
  server_->Shutdown(std::chrono::milliseconds(0));
  EXPECT_THAT(Do("GET /api/v1/pods"),
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("the cluster does not answer: ")));
  EXPECT_THAT(Do("GET /api/v1/pods?watch=true"), StartsWith("HTTP/1.1 503 "));
}

TEST_F(ClusterProxyTest, AClusterThatIsNotThereIsNotOpened) {
  const std::string server = fmt::format("http://127.0.0.1:{}", server_->port());
  server_.reset();
  const auto proxy = ClusterProxy::Open(RealWorld(), {.server = server});
  ASSERT_FALSE(proxy.has_value());
  EXPECT_EQ(proxy.error().reason, StatusReason::kServiceUnavailable);
}

TEST_F(ClusterProxyTest, QuestionsHaveTheirMethods) {
  OpenProxy();
  EXPECT_THAT(Do("GET /ui/api/whatif"), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(Do("GET /ui/api/history"),
              AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("other clusters do not tell")));
  EXPECT_THAT(Do("GET /ui/api/other"), StartsWith("HTTP/1.1 404 "));
}

}  // namespace
}  // namespace dray::cli::inline dashboard
