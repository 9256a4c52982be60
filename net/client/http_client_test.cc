// SPDX-License-Identifier: Apache-2.0
#include "net/client/http_client.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/world.h"
#include "net/http.h"
#include "net/server/http_server.h"
#include "net/testing/server_fixture.h"
#include "net/tls/context.h"

namespace dray::net::client {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::kPatience;
using testing::Pki;

using HttpClientTest = testing::ServerTest;

ClientRequest Get(std::string target) {
  return {.method = "GET", .target = std::move(target), .headers = {}, .body = {}};
}

TEST_F(HttpClientTest, SendsItsTokenAndBasePath) {
  StartServer([](const Request& request, const std::shared_ptr<Responder>& responder) {
    responder->Respond(
        {}, Bytes(request.target + " " + std::string(request.headers.Get("Authorization"))));
  });
  HttpClientOptions options = ClientOptions();
  options.server.path = "/base";
  options.bearer_token = "secret";
  HttpClient client(RealWorld().clock, options);
  EXPECT_EQ(client.Send(Get("/x")).value().body, "/base/x Bearer secret");
}

TEST_F(HttpClientTest, ReplacesAConnectionTheServerHasClosed) {
  server::HttpServerOptions server;
  server.idle_timeout = milliseconds(1);
  LetTimeStand();
  StartServer(
      [](const Request&, const std::shared_ptr<Responder>& r) { r->Respond({}, Bytes("ok")); },
      server);
  HttpClient client(RealWorld().clock, ClientOptions());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.Send(Get("/")).value().body, "ok");
    const PassingTime passes(*this);
    while (server_->connections() != 0) std::this_thread::yield();
  }
}

TEST_F(HttpClientTest, TimesOutWhenTheServerSaysNothing) {
  std::shared_ptr<Responder> kept;
  StartServer(
      [&](const Request&, std::shared_ptr<Responder> responder) { kept = std::move(responder); });
  HttpClientOptions options = ClientOptions();
  options.request_timeout = milliseconds(20);
  HttpClient client(RealWorld().clock, options);
  const auto answer = client.Send(Get("/"));
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().reason, StatusReason::kTimeout);
  server_->Shutdown(milliseconds(0));
}

TEST_F(HttpClientTest, AStreamIsCancelledFromAnotherThread) {
  StartServer([&](const Request&, const std::shared_ptr<Responder>& responder) {
    responder->Start({});
    responder->Write(Bytes("first\n"));
    responder->OnClose([this, responder] { events_.Add("closed"); });
  });
  HttpClientOptions options = ClientOptions();
  const std::shared_ptr<Cancellation> cancellation = Cancellation::Create().value();
  options.cancellation = cancellation;
  HttpClient client(RealWorld().clock, options);
  auto watch = client.Open(Get("/")).value();
  ASSERT_EQ(watch->ReadLine(kPatience), ResponseStream::Outcome::kLine);
  std::thread canceller([&] { cancellation->Cancel(); });
  EXPECT_EQ(watch->ReadLine(kPatience), ResponseStream::Outcome::kCancelled);
  canceller.join();
  watch.reset();
  EXPECT_EQ(events_.Next(), "closed");
  EXPECT_EQ(client.Send(Get("/")).error().reason, StatusReason::kTimeout);  // for good
}

TEST_F(HttpClientTest, AnErrorAnswerOfAStreamIsReadWhole) {
  StartServer([](const Request&, const std::shared_ptr<Responder>& responder) {
    responder->Respond({.status = 410}, Bytes("two\nlines"));
  });
  HttpClient client(RealWorld().clock, ClientOptions());
  const auto stream = client.Open(Get("/")).value();
  EXPECT_EQ(stream->status(), 410);
  EXPECT_EQ(stream->ReadRest(kPatience).value(), "two\nlines");
}

TEST_F(HttpClientTest, LargeAnswersArriveWhole) {
  const Pki pki = Pki::Make();
  const auto body = std::make_shared<const std::string>(5 << 20, 'b');
  server::HttpServerOptions options;
  options.tls = tls::ServerContext::Create({pki.server, ""}).value();
  StartServer(
      [&](const Request&, const std::shared_ptr<Responder>& responder) {
        responder->Respond({}, Bytes(body));
      },
      options);
  HttpClient client(RealWorld().clock, TlsClientOptionsFor({.ca_pem = pki.ca.certificate_pem}));
  EXPECT_EQ(client.Send(Get("/")).value().body, *body);
}

TEST_F(HttpClientTest, AnswersHaveALimit) {
  StartServer([](const Request& request, const std::shared_ptr<Responder>& responder) {
    responder->Respond({}, Bytes(std::string(std::stoul(request.target.substr(1)), 'x')));
  });
  HttpClientOptions options = ClientOptions();
  EXPECT_EQ(options.response_bytes_max, kResponseBytesMax);
  for (const size_t max : {size_t{100'000}, size_t{10}}) {  // more than is read at once, and less
    options.response_bytes_max = max;
    HttpClient client(RealWorld().clock, options);
    EXPECT_EQ(client.Send(Get(fmt::format("/{}", max))).value().body.size(), max);
    const std::string refusal = fmt::format("the answer is larger than {} bytes", max);
    const ClientRequest larger = Get(fmt::format("/{}", max + 1));
    EXPECT_EQ(client.Send(larger).error().message, refusal);
    EXPECT_EQ(client.Open(Get(fmt::format("/{}", max))).value()->ReadRest(kPatience)->size(), max);
    EXPECT_EQ(client.Open(larger).value()->ReadRest(kPatience).error().message, refusal);
  }
}

TEST_F(HttpClientTest, LinesHaveALimit) {
  const auto text = std::make_shared<const std::string>(std::string(kLineBytesMax, 'x') + "y\nz");
  const std::string_view all = *text;
  std::string_view body;
  StartServer([&](const Request&, const std::shared_ptr<Responder>& responder) {
    responder->Respond({}, Bytes(text, body));
  });
  HttpClient client(RealWorld().clock, ClientOptions());
  struct Case {
    const char* name;
    std::string_view body;
    bool fits;
  };
  const Case cases[] = {
      {"a line", all.substr(1), true},
      {"a longer one", all, false},
      {"without its line break", all.substr(0, kLineBytesMax), true},
      {"longer, without its line break", all.substr(0, kLineBytesMax + 1), false},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    body = each.body;
    const auto stream = client.Open(Get("/")).value();
    if (each.fits) {
      EXPECT_EQ(stream->ReadLine(kPatience), ResponseStream::Outcome::kLine);
      EXPECT_EQ(stream->line().size(), kLineBytesMax);
    } else {
      EXPECT_EQ(stream->ReadLine(kPatience), ResponseStream::Outcome::kBroken);
      EXPECT_EQ(stream->failure(), "a line is longer than 16777216 bytes");
    }
  }
}

TEST_F(HttpClientTest, ChecksTheServersCertificate) {
  const Pki pki = Pki::Make(), foreign = Pki::Make();
  server::HttpServerOptions options;
  options.address = "0.0.0.0";  // all of 127.0.0.0/8
  options.tls = tls::ServerContext::Create({pki.server, ""}).value();
  StartServer(
      [](const Request&, const std::shared_ptr<Responder>& r) { r->Respond({}, Bytes("ok")); },
      options);
  const auto ask = [&](const std::string& host, const tls::ClientOptions& tls) {
    HttpClientOptions client_options = TlsClientOptionsFor(tls);
    client_options.server.host = host;
    HttpClient client(RealWorld().clock, client_options);
    const auto answer = client.Send(Get("/"));
    return answer.has_value() ? answer->body : answer.error().message;
  };
  const tls::ClientOptions right{.ca_pem = pki.ca.certificate_pem};
  EXPECT_EQ(ask("127.0.0.1", right), "ok");
  EXPECT_EQ(ask("localhost", right), "ok");
  EXPECT_THAT(ask("127.0.0.2", right), HasSubstr("IP address mismatch"));
  EXPECT_THAT(ask("127.0.0.1", {.ca_pem = foreign.ca.certificate_pem}), HasSubstr("x509: "));
  EXPECT_EQ(
      ask("127.0.0.2",
          {.ca_pem = "", .client_certificate = {}, .check = tls::ServerCheck::kTrustAnything}),
      "ok");
}

TEST_F(HttpClientTest, RefusesToForgeRequests) {
  StartServer(
      [](const Request&, const std::shared_ptr<Responder>& r) { r->Respond({}, Bytes("ok")); });
  HttpClient client(RealWorld().clock, ClientOptions());
  EXPECT_EQ(client.Send(Get("/ HTTP/1.1\r\nEvil: 1")).error().reason, StatusReason::kBadRequest);
  ClientRequest request = Get("/");
  request.headers.Add("A", "b\r\nEvil: 1");
  EXPECT_EQ(client.Send(request).error().reason, StatusReason::kBadRequest);
}

TEST_F(HttpClientTest, SaysWhenNobodyListens) {
  StartServer([](const Request&, const std::shared_ptr<Responder>&) {});
  const HttpClientOptions options = ClientOptions();
  server_.reset();
  HttpClient client(RealWorld().clock, options);
  const auto answer = client.Send(Get("/"));
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().reason, StatusReason::kServiceUnavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("Connection refused"));
}

}  // namespace
}  // namespace dray::net::client
