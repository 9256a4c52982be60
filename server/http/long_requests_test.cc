// SPDX-License-Identifier: Apache-2.0
// Requests are isolated from each other: workers carry out long ones, and the number of requests
// under way and the time of each are limited.
//
// No test depends on a clock. The store of these tests holds an answer back until the test releases
// it, and reports the calling thread: work that the reactor's thread never does cannot block it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bounded_queue.h"
#include "base/log.h"
#include "base/simulated_world.h"
#include "base/task.h"
#include "base/worker_pool.h"
#include "net/client/http_client.h"
#include "net/reactor.h"
#include "net/server/http_server.h"
#include "net/testing/server_fixture.h"
#include "server/http/http_api.h"
#include "server/testing/hooked_store.h"
#include "server/verbs/resources.h"

namespace dray::server::http {
namespace {

using net::testing::RawSocket;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kWatchedMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::chrono::minutes kLongPatience{10};  // only a bug uses it up

/// Blocks threads until the test opens it.
class Gate {
 public:
  void Pass() {
    EXPECT_TRUE(arrived_.TryPush(true));
    open_.wait(false);
  }
  /// Waits until a thread has arrived.
  void AwaitArrival() { arrived_.Pop(); }
  void Open() {
    open_ = true;
    open_.notify_all();
  }

 private:
  BoundedQueue<bool> arrived_{100};
  std::atomic<bool> open_ = false;
};

class LongRequests : public ::testing::Test {
 protected:
  LongRequests()
      : workers_(2),
        resources_(scheme_, store_, world_.world(), Log::Silent(), {.workers = &workers_}) {
    EXPECT_TRUE(Wait(resources_.Bootstrap()).has_value());
  }
  ~LongRequests() override {
    gate_.Open();
    if (server_ != nullptr) server_->Shutdown(std::chrono::milliseconds(0));
    if (api_ != nullptr) api_->Drain();
    server_.reset();
  }

  void Serve(HttpApiOptions options = {}) {
    options.authenticator = *Authenticator::FromTokenFile(
        "secret,user,u1\nother,other,u3\nroot,admin,u2,\"system:masters\"");
    api_ = std::make_unique<HttpApi>(resources_, world_.world(), Log::Silent(), std::move(options));
    server_ = net::server::HttpServer::Start(RealWorld().clock, log_, {}, *api_).value();
  }

  std::string Ask(std::string_view method,
                  std::string_view target,
                  std::string body = {},
                  std::string_view token = "secret",
                  std::string_view accept = {},
                  std::string_view content_type = "application/json") const {
    net::client::HttpClient client(
        RealWorld().clock,
        {.server = {.scheme = net::Scheme::kHttp, .host = "127.0.0.1", .port = server_->port()},
         .bearer_token = std::string(token)});
    net::client::ClientRequest request{.method = std::string(method),
                                       .target = std::string(target)};
    if (!body.empty()) request.headers.Add("Content-Type", content_type);
    if (!accept.empty()) request.headers.Add("Accept", accept);
    request.body = std::move(body);
    const auto answer = client.Send(request);
    if (!answer) return answer.error().message;
    return fmt::format("{} {}{}",
                       answer->status,
                       answer->body,
                       answer->headers.Has("Retry-After")
                           ? " after " + std::string(answer->headers.Get("Retry-After"))
                           : "");
  }

  static std::string Map(std::string_view name, size_t bytes) {
    return fmt::format(
        R"({{"metadata":{{"name":"{}"}},"data":{{"x":"{}"}}}})", name, std::string(bytes, 'x'));
  }

  /// Whether the thread that carries out `method` `target` is the reactor's.
  bool IsOnReactor(std::string_view method,
                   std::string_view target,
                   std::string body = {},
                   std::string_view accept = {}) {
    std::atomic<bool> on_reactor = false;
    net::Reactor& reactor = *server_->reactors().front();
    store_.OnSync([&] { on_reactor = reactor.in_thread(); });
    const std::string answer = Ask(method, target, std::move(body), "secret", accept);
    store_.OnSync(nullptr);
    EXPECT_THAT(answer, StartsWith("20")) << method << " " << target;
    return on_reactor;
  }

  SimulatedWorld world_{7};
  const Log log_ = Log::Silent();
  api::Scheme scheme_;
  Gate gate_;
  testing::HookedStore store_;
  WorkerPool workers_;
  verbs::Resources resources_;
  std::unique_ptr<HttpApi> api_;
  std::unique_ptr<net::server::HttpServer> server_;
};

TEST_F(LongRequests, WhatIsLongLeavesTheReactor) {
  Serve();
  const std::string maps(kWatchedMaps);
  const std::string yaml = "application/yaml";
  EXPECT_TRUE(IsOnReactor("POST", maps, Map("small", 100)));
  EXPECT_TRUE(IsOnReactor("GET", maps + "/small"));
  EXPECT_TRUE(IsOnReactor("GET", maps + "/small", "", yaml));
  EXPECT_TRUE(IsOnReactor("GET", maps));
  EXPECT_FALSE(IsOnReactor("POST", maps, Map("large", verbs::kShortBytes + 1)));
  EXPECT_TRUE(IsOnReactor("GET", maps + "/large")) << "its text is there already";
  EXPECT_FALSE(IsOnReactor("GET", maps + "/large", "", yaml)) << "this text is not";
  EXPECT_FALSE(IsOnReactor("GET", maps + "/large?pretty=1"));
  EXPECT_FALSE(IsOnReactor("PUT", maps + "/large", Map("large", 10))) << "the old one counts, too";
  EXPECT_TRUE(IsOnReactor("PUT", maps + "/large", Map("large", 20)));
  for (size_t i = 1; i <= verbs::kShortRecords - 2; ++i) {
    Ask("POST", maps, Map(fmt::format("m-{}", i), 10));
  }
  EXPECT_TRUE(IsOnReactor("GET", maps)) << verbs::kShortRecords << " records";
  Ask("POST", maps, Map("last", 10));
  EXPECT_FALSE(IsOnReactor("GET", maps)) << "one more";
  EXPECT_FALSE(IsOnReactor("GET", maps + "?limit=1"));
  EXPECT_FALSE(IsOnReactor("DELETE", maps));
}

TEST_F(LongRequests, DocumentsAreCompressedByWorkers) {
  Serve();
  constexpr size_t kCompressed = size_t{128} << 10;  // from here on
  ASSERT_GT(Ask("GET", "/openapi/v3/api/v1").size(), kCompressed);
  const RawSocket socket(server_->port());
  socket.Send(
      "GET /openapi/v3/api/v1 HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer secret\r\n"
      "Accept-Encoding: gzip\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(socket.ReadAll(),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("Content-Encoding: gzip")));
}

// A blocked long request delays neither short requests nor health, watches or other long requests.
TEST_F(LongRequests, OneThatStandsStillHoldsUpNobody) {
  Serve();
  auto watch =
      net::client::HttpClient(
          RealWorld().clock,
          {.server = {.scheme = net::Scheme::kHttp, .host = "127.0.0.1", .port = server_->port()},
           .bearer_token = "secret"})
          .Open({.method = "GET", .target = std::string(kWatchedMaps) + "?watch=1"});
  ASSERT_TRUE(watch.has_value());
  store_.OnSync([&] {
    store_.OnSync(nullptr);  // only the first
    gate_.Pass();
  });
  std::thread held(
      [&] { EXPECT_THAT(Ask("POST", kWatchedMaps, Map("held", 100'000)), StartsWith("201 ")); });
  gate_.AwaitArrival();
  EXPECT_EQ(Ask("GET", "/healthz"), "200 ok");
  EXPECT_THAT(Ask("POST", kWatchedMaps, Map("short", 10)), StartsWith("201 "));
  EXPECT_THAT(Ask("POST", kWatchedMaps, Map("other", 100'000), "other"), StartsWith("201 "))
      << "one sender never has all workers";
  EXPECT_THAT(Ask("GET", kWatchedMaps, "", "other"), StartsWith("200 "));
  ASSERT_EQ((*watch)->ReadLine(kLongPatience), net::client::ResponseStream::Outcome::kLine);
  EXPECT_THAT((*watch)->line(), HasSubstr(R"("name":"short")"));
  gate_.Open();
  held.join();
}

// Without Retry-After clients do not try again.
TEST_F(LongRequests, ReadsAndWritesUnderWayAreLimited) {
  constexpr std::string_view kRefused = "429 Too many requests, please try again later.\n after 1";
  Serve({.reads_max = 1, .writes_max = 1});
  for (int i = 0; i < 70; ++i) {
    ASSERT_THAT(Ask("POST", kWatchedMaps, Map(fmt::format("m-{}", i), 10)), StartsWith("201"));
  }
  store_.OnSync([&] {
    store_.OnSync(nullptr);
    gate_.Pass();
  });
  std::thread reader([&] { EXPECT_THAT(Ask("GET", kWatchedMaps), StartsWith("200 ")); });
  gate_.AwaitArrival();
  EXPECT_EQ(Ask("GET", std::string(kWatchedMaps) + "/m-1"), kRefused);
  EXPECT_EQ(Ask("GET", "/apis"), kRefused);
  EXPECT_THAT(Ask("GET", std::string(kWatchedMaps) + "/m-1", "", "root"), StartsWith("200 "));
  EXPECT_EQ(Ask("GET", "/healthz"), "200 ok");
  EXPECT_THAT(Ask("GET", "/version"), StartsWith("200 "));
  EXPECT_THAT(Ask("GET", std::string(kWatchedMaps) + "?watch=1&timeoutSeconds=-1"),
              StartsWith("200 "));
  EXPECT_THAT(Ask("POST", kWatchedMaps, Map("new", 10)), StartsWith("201 "))
      << "writes are beside them";
  store_.OnSync([&] {
    store_.OnSync(nullptr);
    gate_.Pass();
  });
  gate_.Open();
  reader.join();
  EXPECT_THAT(Ask("GET", std::string(kWatchedMaps) + "/m-1"), StartsWith("200 ")) << "it has ended";
}

TEST_F(LongRequests, WritesUnderWayAreLimited) {
  Serve({.reads_max = 1, .writes_max = 1});
  store_.OnSync([&] {
    store_.OnSync(nullptr);
    gate_.Pass();
  });
  std::thread writer(
      [&] { EXPECT_THAT(Ask("POST", kWatchedMaps, Map("held", 100'000)), StartsWith("201 ")); });
  gate_.AwaitArrival();
  EXPECT_THAT(Ask("POST", kWatchedMaps, Map("new", 10)), StartsWith("429 "));
  EXPECT_THAT(Ask("DELETE", std::string(kWatchedMaps) + "/none"), StartsWith("429 "));
  EXPECT_THAT(Ask("POST", kWatchedMaps, Map("new", 10), "root"), StartsWith("201 "));
  EXPECT_THAT(Ask("GET", kWatchedMaps), StartsWith("200 "));
  gate_.Open();
  writer.join();
}

TEST_F(LongRequests, OneSenderHasHisShareOfThem) {
  Serve({.writes_max = 4});  // one sender may have one of them
  store_.OnSync([&] {
    store_.OnSync(nullptr);
    gate_.Pass();
  });
  std::thread writer(
      [&] { EXPECT_THAT(Ask("POST", kWatchedMaps, Map("held", 100'000)), StartsWith("201 ")); });
  gate_.AwaitArrival();
  EXPECT_THAT(Ask("POST", kWatchedMaps, Map("new", 10)), StartsWith("429 "));
  EXPECT_THAT(Ask("POST", kWatchedMaps, Map("new", 10), "other"), StartsWith("201 "))
      << "others notice nothing";
  EXPECT_THAT(
      Ask("GET", "/metrics", "", "root"),
      HasSubstr("apiserver_flowcontrol_rejected_requests_total{flow_schema=\"global-default\","
                "priority_level=\"global-default\",reason=\"concurrency-limit\"} 1"));
  gate_.Open();
  writer.join();
}

TEST_F(LongRequests, AClientWaitsNoLongerThanTheLimit) {
  Serve();
  std::atomic<bool> is_held = false;
  store_.OnSync([&] {
    is_held = true;
    gate_.Pass();
  });
  // On a busy machine the time may pass before a worker begins. The server then drops the request,
  // and the test sends another with twice the time.
  std::vector<std::string> names;
  for (int milliseconds = 20; !is_held; milliseconds *= 2) {
    names.push_back(fmt::format("late-{}", milliseconds));
    const std::string answer = Ask("POST",
                                   fmt::format("{}?timeout={}ms", kWatchedMaps, milliseconds),
                                   Map(names.back(), 100'000));
    EXPECT_THAT(answer,
                AllOf(StartsWith("504 "),
                      HasSubstr("Timeout: request did not complete within the allotted timeout"),
                      HasSubstr(R"("reason":"Timeout")")));
  }
  gate_.Open();
  // The request continues nevertheless, and ends before the server does.
  server_->Shutdown(std::chrono::milliseconds(0));
  api_->Drain();
  EXPECT_TRUE(std::ranges::any_of(names, [this](const std::string& name) {
    return store_.Read()->Find("/registry/configmaps/default/" + name) != nullptr;
  }));
}

// The reactor's thread counts the request while a worker carries it out: the fields that both read
// are set before the worker begins.
TEST_F(LongRequests, ALateRequestIsCountedAsWhatItIsBeforeAWorkerReadIt) {
  Serve();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(workers_.TryPost([&] { gate_.Pass(); }));
    gate_.AwaitArrival();
  }
  const std::string target =
      std::string(kWatchedMaps) + "/late?fieldManager=m&dryRun=All&timeout=20ms";
  EXPECT_THAT(
      Ask("PATCH", target, Map("late", 100'000), "secret", {}, "application/apply-patch+yaml"),
      StartsWith("504 "));
  gate_.Open();
  EXPECT_THAT(Ask("GET", "/metrics", "", "root"),
              HasSubstr(R"(apiserver_request_total{code="504",component="apiserver",dry_run="All",)"
                        R"(group="",resource="configmaps",scope="resource",subresource="",)"
                        R"(verb="APPLY",version="v1"} 1)"));
}

TEST_F(LongRequests, LargeAnswersUnderWayHaveALimit) {
  Serve({.answer_bytes_max = 200'000});
  ASSERT_THAT(Ask("POST", kWatchedMaps, Map("a", 60'000)), StartsWith("201 "));
  EXPECT_THAT(Ask("GET", kWatchedMaps), StartsWith("200 "));
  ASSERT_THAT(Ask("POST", kWatchedMaps, Map("b", 60'000)), StartsWith("201 "));
  EXPECT_THAT(Ask("GET", kWatchedMaps), StartsWith("429 "));
  EXPECT_THAT(Ask("GET", std::string(kWatchedMaps) + "/a"), StartsWith("200 "));
}

}  // namespace
}  // namespace dray::server::http
