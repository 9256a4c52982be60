// SPDX-License-Identifier: Apache-2.0
// HTTP/2 over sockets: what only a whole server shows.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include "net/client/http_client.h"
#include "net/http.h"
#include "net/http2/limits.h"
#include "net/reactor.h"
#include "net/server/http_server.h"
#include "net/testing/http2_peer.h"
#include "net/testing/http2_socket.h"
#include "net/testing/server_fixture.h"
#include "net/tls/context.h"

namespace dray::net::server {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::Http2Peer;
using testing::Http2Socket;
using testing::kPatience;
using testing::Pki;
using testing::RawSocket;

void EchoHttp2(const Request& request, const std::shared_ptr<Responder>& responder) {
  responder->Respond({},
                     Bytes(fmt::format("{} {} {}", request.method, request.target, request.body)));
}

class Http2ServerTest : public testing::ServerTest {
 protected:
  /// A server with certificates.
  void StartTls(testing::FunctionHandler::Function function,
                HttpServerOptions options = {},
                testing::FunctionHandler::Judge knows = nullptr) {
    options.tls = tls::ServerContext::Create({pki_.server, pki_.ca.certificate_pem}).value();
    StartServer(std::move(function), options, std::move(knows));
  }
  std::shared_ptr<const tls::ClientContext> ClientTls(
      tls::HttpVersions versions = tls::HttpVersions::kEither,
      const tls::Credentials& shown = {}) const {
    return tls::ClientContext::Create({.ca_pem = pki_.ca.certificate_pem,
                                       .client_certificate = shown,
                                       .versions = versions})
        .value();
  }
  /// The answer to one request on `socket`.
  static Http2Peer::Answer AnswerTo(Http2Socket& socket, std::string_view path) {
    const int32_t id = socket.peer().Ask("GET", path);
    socket.Run([&] { return socket.peer().answer(id).closed.has_value(); });
    return socket.peer().answer(id);
  }

  const Pki pki_ = Pki::Make();
};

TEST_F(Http2ServerTest, BothSidesAgreeOnAVersion) {
  StartTls(EchoHttp2);
  Http2Socket either(server_->port(), ClientTls());
  EXPECT_EQ(either.protocol(), "h2");
  const Http2Peer::Answer answer = AnswerTo(either, "/a?b");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "GET /a?b ");
  EXPECT_THAT(std::string(answer.headers.Get("date")), HasSubstr(" GMT"));
  const Http2Socket old(server_->port(), ClientTls(tls::HttpVersions::kHttp1));
  EXPECT_EQ(old.protocol(), "http/1.1");
}

TEST_F(Http2ServerTest, AServerMayBeAskedNotToSpeakIt) {
  HttpServerOptions options{.plain_http2 = false};
  options.tls = tls::ServerContext::Create(
                    {.credentials = pki_.server, .versions = tls::HttpVersions::kHttp1})
                    .value();
  StartServer(EchoHttp2, options);
  const Http2Socket either(server_->port(), ClientTls());
  EXPECT_EQ(either.protocol(), "http/1.1");
  const RawSocket plain(server_->port());
  plain.Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  EXPECT_THAT(plain.ReadAll(), HasSubstr("HTTP/1.1 505 "));
}

TEST_F(Http2ServerTest, APlainConnectionMayBeginAsHttp2) {
  StartServer(EchoHttp2);
  Http2Socket socket(server_->port());
  EXPECT_EQ(AnswerTo(socket, "/1").body, "GET /1 ");
  EXPECT_EQ(AnswerTo(socket, "/2").body, "GET /2 ");
  EXPECT_EQ(server_->connections(), 1U);
}

TEST_F(Http2ServerTest, TellsWhoTheClientIs) {
  StartTls([](const Request& request, const std::shared_ptr<Responder>& responder) {
    const Peer& peer = *request.peer;
    responder->Respond({}, Bytes(peer.certificate ? peer.certificate->common_name : "nobody"));
  });
  Http2Socket alice(server_->port(), ClientTls(tls::HttpVersions::kHttp2, pki_.client));
  EXPECT_EQ(AnswerTo(alice, "/").body, "alice");
  Http2Socket nobody(server_->port(), ClientTls());
  EXPECT_EQ(AnswerTo(nobody, "/").body, "nobody");
}

TEST_F(Http2ServerTest, AThousandWatchesOnOneConnection) {
  constexpr size_t kWatches = http2::kStreamsMax;
  constexpr int kEvents = 3;
  std::vector<std::shared_ptr<Responder>> watches;  // of the reactor's thread
  StartTls([&](const Request& request, std::shared_ptr<Responder> responder) {
    if (request.target == "/get") return responder->Respond({}, Bytes("between"));
    responder->Start({});
    watches.push_back(std::move(responder));
    if (watches.size() == kWatches - 1) events_.Add("all");
  });
  Http2Socket socket(server_->port(), ClientTls());
  Http2Peer& peer = socket.peer();
  ASSERT_EQ(AnswerTo(socket, "/get").body, "between");
  ASSERT_TRUE(socket.Run([&] { return peer.streams_max() == kWatches; }));
  std::vector<int32_t> ids;
  for (size_t i = 0; i < kWatches - 1; ++i) ids.push_back(peer.Ask("GET", "/watch"));
  ASSERT_TRUE(socket.Run([&] { return peer.answer(ids.back()).status == 200; }));
  EXPECT_EQ(events_.Next(), "all");
  const auto event = std::make_shared<const std::string>(std::string(2000, 'e') + "\n");
  for (int i = 0; i < kEvents; ++i) {
    server_->reactors().front()->Post([&] {
      for (const auto& watch : watches)
        EXPECT_EQ(watch->Write(Bytes(event)), WriteOutcome::kQueued);
    });
  }
  EXPECT_EQ(AnswerTo(socket, "/get").body, "between") << "others are answered beside them";
  const size_t all = kEvents * event->size();
  for (const int32_t id : ids) {
    ASSERT_TRUE(socket.Run([&] { return peer.answer(id).body.size() == all; }));
  }
  server_->reactors().front()->Post([&] {
    for (const auto& watch : watches) watch->Finish();
  });
  for (const int32_t id : ids) {
    ASSERT_TRUE(socket.Run([&] { return peer.answer(id).closed.has_value(); }));
    EXPECT_TRUE(peer.answer(id).ended);
  }
  EXPECT_EQ(server_->connections(), 1U);
  server_->Shutdown(milliseconds(0));  // the thread that has touched `watches` is gone
}

TEST_F(Http2ServerTest, WhatARequestPostsIsWrittenWithItsAnswer) {
  constexpr int kChanges = 200;
  std::shared_ptr<Responder> watch;  // of the reactor's thread
  StartTls([&](const Request& request, std::shared_ptr<Responder> responder) {
    if (request.target == "/watch") {
      responder->Start({});
      watch = std::move(responder);
      return;
    }
    responder->reactor().Post([&] { EXPECT_EQ(watch->Write(Bytes("e")), WriteOutcome::kQueued); });
    responder->Respond({}, Bytes("changed"));
  });
  Http2Socket socket(server_->port(), ClientTls());
  Http2Peer& peer = socket.peer();
  const int32_t watching = peer.Ask("GET", "/watch");
  ASSERT_TRUE(socket.Run([&] { return peer.answer(watching).status == 200; }));
  for (size_t i = 1; i <= kChanges; ++i) {
    ASSERT_EQ(AnswerTo(socket, "/change").body, "changed");
    ASSERT_EQ(peer.answer(watching).body.size(), i) << "the event of this change comes later";
  }
  server_->Shutdown(milliseconds(0));
}

TEST_F(Http2ServerTest, ASlowWatcherIsFullAndHoldsUpNoOther) {
  std::shared_ptr<Responder> slow;
  size_t written = 0;
  const Bytes piece(std::string(size_t{64} << 10, 'x'));
  StartTls([&](const Request& request, std::shared_ptr<Responder> responder) {
    if (request.target != "/slow") return EchoHttp2(request, responder);
    slow = std::move(responder);
    slow->Start({});
    WriteOutcome outcome = WriteOutcome::kQueued;
    while ((outcome = slow->Write(piece)) == WriteOutcome::kQueued) written += piece.size();
    EXPECT_EQ(outcome, WriteOutcome::kFull);
    EXPECT_LE(slow->queued_bytes(), kStreamQueueBytesMax);
    slow->OnWritable([&] {
      EXPECT_LT(slow->queued_bytes(), kStreamQueueBytesMax / 2);
      slow->Finish();
      events_.Add("writable");
    });
    events_.Add("full");
  });
  Http2Socket socket(server_->port(), ClientTls(), {.stream_window = 10'000, .consumes = false});
  Http2Peer& peer = socket.peer();
  const int32_t id = peer.Ask("GET", "/slow");
  EXPECT_EQ(AnswerTo(socket, "/quick").body, "GET /quick ");
  EXPECT_EQ(events_.Next(), "full");
  ASSERT_TRUE(socket.Run([&] { return peer.answer(id).body.size() == 10'000; }));
  EXPECT_TRUE(events_.empty());
  nghttp2_submit_window_update(peer.session(), NGHTTP2_FLAG_NONE, id, 4 << 20);
  ASSERT_TRUE(socket.Run([&] { return peer.answer(id).closed.has_value(); }));
  EXPECT_TRUE(peer.answer(id).ended);
  EXPECT_EQ(peer.answer(id).body.size(), written);
  EXPECT_EQ(events_.Next(), "writable");
}

TEST_F(Http2ServerTest, NoticesAVanishedWatcherAndKeepsTheOther) {
  std::vector<std::shared_ptr<Responder>> watches;
  StartTls([&](const Request& request, std::shared_ptr<Responder> responder) {
    responder->Start({});
    responder->OnClose([this, target = request.target] { events_.Add(target); });
    watches.push_back(std::move(responder));
  });
  Http2Socket socket(server_->port(), ClientTls());
  Http2Peer& peer = socket.peer();
  const int32_t first = peer.Ask("GET", "/1");
  const int32_t second = peer.Ask("GET", "/2");
  ASSERT_TRUE(socket.Run([&] { return peer.answer(second).status == 200; }));
  peer.Cancel(first);
  ASSERT_TRUE(socket.Run([&] { return peer.answer(first).closed.has_value(); }));
  EXPECT_EQ(events_.Next(), "/1");
  server_->reactors().front()->Post([&] {
    EXPECT_TRUE(watches[0]->closed());
    EXPECT_EQ(watches[0]->Write(Bytes("x")), WriteOutcome::kClosed);
    watches[1]->Write(Bytes("still here"));
  });
  ASSERT_TRUE(socket.Run([&] { return peer.answer(second).body == "still here"; }));
  server_->Shutdown(milliseconds(0));
}

TEST_F(Http2ServerTest, ABrokenAnswerEndsItsStreamAlone) {
  StartTls([](const Request& request, const std::shared_ptr<Responder>& responder) {
    if (request.target == "/forgotten") return;
    if (request.target != "/aborted") return EchoHttp2(request, responder);
    responder->Start({});
    responder->Abort();
  });
  Http2Socket socket(server_->port(), ClientTls());
  for (const std::string_view path : {"/forgotten", "/aborted"}) {
    const Http2Peer::Answer answer = AnswerTo(socket, path);
    EXPECT_FALSE(answer.ended) << path;
    EXPECT_EQ(answer.closed, NGHTTP2_INTERNAL_ERROR) << path;
  }
  EXPECT_EQ(AnswerTo(socket, "/next").body, "GET /next ");
  EXPECT_EQ(server_->connections(), 1U);
}

TEST_F(Http2ServerTest, AStalledStreamIsClosedAndTheOthersAreNot) {
  HttpServerOptions options;
  options.stall_timeout = milliseconds(20);
  StartTls(
      [&](const Request& request, const std::shared_ptr<Responder>& responder) {
        if (request.target != "/slow") return EchoHttp2(request, responder);
        responder->Start({});
        responder->Write(Bytes(std::string(5000, 'x')));
        responder->OnClose([this, responder] { events_.Add("closed"); });
      },
      options);
  Http2Socket socket(server_->port(), ClientTls(), {.stream_window = 1000, .consumes = false});
  Http2Peer& peer = socket.peer();
  const int32_t id = peer.Ask("GET", "/slow");
  ASSERT_TRUE(socket.Run([&] { return peer.answer(id).closed.has_value(); }));
  EXPECT_EQ(events_.Next(), "closed");
  EXPECT_EQ(AnswerTo(socket, "/next").body, "GET /next ");
}

TEST_F(Http2ServerTest, SlowPeersAreClosedInEveryPhase) {
  HttpServerOptions options;
  options.head_timeout = options.body_timeout = options.idle_timeout = milliseconds(20);
  StartServer(EchoHttp2, options);
  const std::string preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  const std::string greeting = preface + testing::Frame(NGHTTP2_SETTINGS, 0, 0, "");
  for (const std::string& begin : {
           preface.substr(0, 10),
           preface,
           greeting,
           greeting + testing::Frame(NGHTTP2_HEADERS, 0, 1, testing::PlainHead()),
           greeting +
               testing::Frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, testing::PlainHead()),
       }) {
    const RawSocket socket(server_->port());
    socket.Send(begin);
    socket.ReadAll();
  }
}

TEST_F(Http2ServerTest, AnIdleConnectionIsToldBeforeItEnds) {
  HttpServerOptions options;
  options.idle_timeout = milliseconds(20);
  LetTimeStand();
  StartServer(EchoHttp2, options);
  Http2Socket socket(server_->port());
  EXPECT_EQ(AnswerTo(socket, "/").status, 200);
  const PassingTime passes(*this);
  EXPECT_FALSE(socket.Run([] { return false; }));
  ASSERT_FALSE(socket.peer().goaways().empty());
  EXPECT_EQ(socket.peer().goaways().back().error_code, NGHTTP2_NO_ERROR);
}

TEST_F(Http2ServerTest, ShutdownEndsWatchesAndLosesNoRequest) {
  std::shared_ptr<Responder> waiting;
  StartTls([&](const Request& request, std::shared_ptr<Responder> responder) {
    if (request.target == "/watch") {
      responder->Start({});
      responder->OnShutdown([responder] { responder->Finish(); });
      return;
    }
    waiting = std::move(responder);
    waiting->OnShutdown([&] { events_.Add("shutting down"); });
  });
  Http2Socket socket(server_->port(), ClientTls());
  Http2Peer& peer = socket.peer();
  const int32_t get = peer.Ask("GET", "/get");
  const int32_t watch = peer.Ask("GET", "/watch");
  ASSERT_TRUE(socket.Run([&] { return peer.answer(watch).status == 200; }));
  std::thread shutdown([&] { server_->Shutdown(kPatience); });
  ASSERT_TRUE(socket.Run([&] { return peer.answer(watch).closed.has_value(); }));
  EXPECT_TRUE(peer.answer(watch).ended) << "a clean end";
  ASSERT_TRUE(socket.Run([&] { return peer.goaways().size() == 2; }));
  EXPECT_EQ(peer.goaways()[0].last_stream, INT32_MAX);
  EXPECT_EQ(peer.goaways()[1].last_stream, watch);
  EXPECT_EQ(events_.Next(), "shutting down");
  server_->reactors().front()->Post([&] { waiting->Respond({}, Bytes("done")); });
  EXPECT_FALSE(socket.Run([] { return false; })) << "the connection ends";
  EXPECT_EQ(peer.answer(get).body, "done");
  socket.Close();
  shutdown.join();
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(Http2ServerTest, AWatchThatBeginsDuringShutdownHearsOfIt) {
  StartServer([&](const Request& request, const std::shared_ptr<Responder>& responder) {
    if (request.target == "/first") {
      responder->OnShutdown([this, responder] {
        events_.Add("shutting down");
        responder->Respond({}, Bytes("done"));
      });
      return;
    }
    responder->Start({});
    responder->OnShutdown([responder] { responder->Finish(); });
  });
  Http2Socket socket(server_->port());
  Http2Peer& peer = socket.peer();
  const int32_t first = peer.Ask("GET", "/first");
  ASSERT_TRUE(socket.Run([&] { return server_->connections() == 1; }));
  const int32_t second = peer.Ask("GET", "/second");
  socket.Run([&] { return peer.answer(second).status == 200; });
  std::thread shutdown([&] { server_->Shutdown(kPatience); });
  EXPECT_FALSE(socket.Run([] { return false; }));
  EXPECT_EQ(peer.answer(first).body, "done");
  EXPECT_TRUE(peer.answer(second).ended);
  EXPECT_EQ(events_.Next(), "shutting down");
  socket.Close();
  shutdown.join();
}

TEST_F(Http2ServerTest, StrangersShareLittleHereToo) {
  HttpServerOptions options;
  options.stranger_bytes_max = 100 * http2::kStreamBytes;  // of which one address has half
  StartServer(
      [&](const Request& request, const std::shared_ptr<Responder>& responder) {
        responder->Respond({}, Bytes(request.headers.Get("token").empty() ? "stranger" : "user"));
      },
      options,
      [](const Request& head) { return head.headers.Has("Token"); });
  Http2Socket stranger(server_->port(), nullptr, {.stream_window = 0, .consumes = false});
  for (int i = 0; i < 60; ++i) stranger.peer().Ask("GET", "/");
  EXPECT_FALSE(stranger.Run([] { return false; })) << "closed";
  Http2Socket user(server_->port(), nullptr, {.stream_window = 0, .consumes = false});
  std::vector<int32_t> ids;
  for (int i = 0; i < 60; ++i) ids.push_back(user.peer().Ask("GET", "/", {{"token", "1"}}));
  EXPECT_TRUE(user.Run([&] { return user.peer().answer(ids.back()).status == 200; }));
}

TEST_F(Http2ServerTest, CurlAgrees) {
  StartTls(EchoHttp2);
  const std::string port = fmt::format("{}", server_->port());
  const auto curl = [&](const std::string& arguments) {
    return testing::OutputOf(
        "command -v curl >/dev/null || { echo no curl; exit; }; curl -sS -k "
        "--max-time 20 -w ' %{http_version}' " +
        arguments + " 2>&1");
  };
  if (curl("--version") == "no curl\n") GTEST_SKIP() << "curl is not installed";
  EXPECT_EQ(curl("https://127.0.0.1:" + port + "/tls"), "GET /tls  2");
  EXPECT_EQ(curl("--http1.1 https://127.0.0.1:" + port + "/old"), "GET /old  1.1");
  EXPECT_EQ(curl("--http2-prior-knowledge http://127.0.0.1:" + port + "/plain"), "GET /plain  2");
  EXPECT_EQ(curl("-d text https://127.0.0.1:" + port + "/"), "POST / text 2");
  EXPECT_EQ(curl("-d text -H 'Expect: 100-continue' https://127.0.0.1:" + port + "/"),
            "POST / text 2");
}

}  // namespace
}  // namespace dray::net::server
