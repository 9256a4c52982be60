// SPDX-License-Identifier: Apache-2.0
#include "net/server/http_server.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/world.h"
#include "net/client/http_client.h"
#include "net/http.h"
#include "net/reactor.h"
#include "net/server/connection.h"
#include "net/testing/server_fixture.h"
#include "net/tls/certificates.h"
#include "net/tls/context.h"

namespace dray::net::server {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::kPatience;
using testing::Pki;
using testing::RawSocket;
using ::testing::StartsWith;

using HttpServerTest = testing::ServerTest;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

void Echo(const Request& request, const std::shared_ptr<Responder>& responder) {
  if (request.body_state == BodyState::kTooLarge)
    return responder->Respond({.status = 413}, Bytes("too large"));
  responder->Respond({},
                     Bytes(fmt::format("{} {} {}", request.method, request.target, request.body)));
}

/// Runs curl and returns what it prints; "no curl" when there is none.
std::string Curl(const std::string& arguments) {
  return testing::OutputOf(
      "command -v curl >/dev/null || { echo no curl; exit; }; curl -sS --max-time 20 " + arguments +
      " 2>&1");
}

TEST_F(HttpServerTest, AnswersPlainHttpOnLoopback) {
  StartServer(Echo);
  client::HttpClient client(RealWorld().clock, ClientOptions());
  for (int i = 0; i < 3; ++i) {
    const auto answer =
        client.Send({.method = "PUT", .target = "/a?b=c", .headers = {}, .body = "body"});
    ASSERT_TRUE(answer.has_value()) << answer.error().message;
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, "PUT /a?b=c body");
    EXPECT_THAT(std::string(answer->headers.Get("Date")), EndsWith(" GMT"));
  }
  EXPECT_EQ(server_->connections(), 1U);
}

TEST_F(HttpServerTest, TellsWhoTheClientIs) {
  const Pki pki = Pki::Make();
  HttpServerOptions options;
  options.tls = tls::ServerContext::Create({pki.server, pki.ca.certificate_pem}).value();
  StartServer(
      [](const Request& request, const std::shared_ptr<Responder>& responder) {
        const Peer& peer = *request.peer;
        const std::string who = peer.certificate
                                    ? fmt::format("{} of {}",
                                                  peer.certificate->common_name,
                                                  fmt::join(peer.certificate->organizations, ","))
                                    : "nobody " + peer.certificate_error;
        responder->Respond({}, Bytes(who));
      },
      options);
  const Pki foreign = Pki::Make();
  const auto ask = [&](const tls::Credentials& shown) {
    client::HttpClient client(
        RealWorld().clock,
        TlsClientOptionsFor({.ca_pem = pki.ca.certificate_pem, .client_certificate = shown}));
    const auto answer = client.Send({.method = "GET", .target = "/", .headers = {}, .body = {}});
    return answer.has_value() ? answer->body : answer.error().message;
  };
  EXPECT_EQ(ask(pki.client), "alice of dev,ops");
  EXPECT_EQ(ask({}), "nobody ");
  EXPECT_THAT(ask(foreign.client), HasSubstr("nobody unable to"));
  EXPECT_THAT(ask(pki.server), HasSubstr("nobody unsu"));  // not a client's certificate
}

TEST_F(HttpServerTest, AnExpiredClientCertificateIsNamedAsSuch) {
  Pki pki = Pki::Make();
  pki.client =
      tls::MakeClientCertificate(RealWorld().random,
                                 RealWorld().clock.Now() - std::chrono::hours(48),
                                 pki.ca,
                                 {.common_name = "old", .lifetime = std::chrono::hours(24)})
          .value();
  HttpServerOptions options;
  options.tls = tls::ServerContext::Create({pki.server, pki.ca.certificate_pem}).value();
  StartServer(
      [](const Request& request, const std::shared_ptr<Responder>& responder) {
        responder->Respond({}, Bytes(std::string(request.peer->certificate_error)));
      },
      options);
  client::HttpClient client(
      RealWorld().clock,
      TlsClientOptionsFor({.ca_pem = pki.ca.certificate_pem, .client_certificate = pki.client}));
  const auto answer = client.Send({.method = "GET", .target = "/", .headers = {}, .body = {}});
  EXPECT_EQ(answer.value().body, "certificate has expired");
}

TEST_F(HttpServerTest, OnePortServesBothAndCurlAgrees) {
  const Pki pki = Pki::Make();
  HttpServerOptions options;
  options.tls = tls::ServerContext::Create({pki.server, pki.ca.certificate_pem}).value();
  StartServer(Echo, options);
  const std::string host = fmt::format("127.0.0.1:{}", server_->port());
  if (Curl("--version") == "no curl\n") GTEST_SKIP() << "curl is not installed";
  EXPECT_EQ(Curl("http://" + host + "/plain"), "GET /plain ");
  EXPECT_EQ(Curl("-k https://" + host + "/tls"), "GET /tls ");
  EXPECT_EQ(Curl("-k --tls-max 1.2 https://" + host + "/tls12"), "GET /tls12 ");
  EXPECT_EQ(Curl("-k -d text -H 'Expect: 100-continue' https://" + host + "/"), "POST / text");
  EXPECT_EQ(Curl("-d text -H 'Transfer-Encoding: chunked' http://" + host + "/"), "POST / text");
  EXPECT_EQ(Curl(fmt::format("-k https://{}/1 https://{}/2", host, host)), "GET /1 GET /2 ");
  EXPECT_THAT(Curl("https://" + host + "/"),
              HasSubstr("self-signed certificate in certificate chain"));
}

TEST_F(HttpServerTest, ABodyPastTheLimitIsAnsweredWhileItIsStillSent) {
  HttpServerOptions options;
  options.body_bytes_max = 1000;
  StartServer(Echo, options);
  client::HttpClient client(RealWorld().clock, ClientOptions());
  const auto fits =
      client.Send({.method = "POST", .target = "/", .headers = {}, .body = std::string(1000, 'x')});
  EXPECT_EQ(fits.value().status, 200);
  const auto past = client.Send(
      {.method = "POST", .target = "/", .headers = {}, .body = std::string(4 << 20, 'x')});
  ASSERT_TRUE(past.has_value()) << past.error().message;
  EXPECT_EQ(past->status, 413);
  EXPECT_EQ(past->body, "too large");
}

TEST_F(HttpServerTest, StreamsReachTheClientPieceByPiece) {
  const Pki pki = Pki::Make();
  HttpServerOptions options;
  options.tls = tls::ServerContext::Create({pki.server, ""}).value();
  std::shared_ptr<Responder> stream;
  StartServer(
      [&](const Request&, std::shared_ptr<Responder> responder) {
        responder->Start({});
        stream = std::move(responder);
      },
      options);
  client::HttpClient client(RealWorld().clock,
                            TlsClientOptionsFor({.ca_pem = pki.ca.certificate_pem}));
  auto opened = client.Open({.method = "GET", .target = "/watch", .headers = {}, .body = {}});
  ASSERT_TRUE(opened.has_value()) << opened.error().message;  // the head came before any event
  client::ResponseStream& watch = **opened;
  Reactor& reactor = *server_->reactors().front();
  const auto shared = std::make_shared<const std::string>("{\"type\":\"ADDED\"}\n");
  for (int i = 0; i < 3; ++i) {
    reactor.Post([&] { EXPECT_EQ(stream->Write(Bytes(shared)), WriteOutcome::kQueued); });
    ASSERT_EQ(watch.ReadLine(kPatience), client::ResponseStream::Outcome::kLine);
    EXPECT_EQ(watch.line(), "{\"type\":\"ADDED\"}");
  }
  EXPECT_EQ(watch.ReadLine(milliseconds(1)), client::ResponseStream::Outcome::kTimeout);
  reactor.Post([&] {
    stream->Write(Bytes("last\nrest"));
    stream->Finish();
    EXPECT_EQ(stream->Write(Bytes("late")), WriteOutcome::kClosed);
  });
  ASSERT_EQ(watch.ReadLine(kPatience), client::ResponseStream::Outcome::kLine);
  EXPECT_EQ(watch.line(), "last");
  ASSERT_EQ(watch.ReadLine(kPatience), client::ResponseStream::Outcome::kLine);
  EXPECT_EQ(watch.line(), "rest");
  EXPECT_EQ(watch.ReadLine(kPatience), client::ResponseStream::Outcome::kEnd);
  server_->Shutdown(kPatience);
}

TEST_F(HttpServerTest, NoticesAVanishedWatcher) {
  std::shared_ptr<Responder> stream;
  StartServer([&](const Request&, std::shared_ptr<Responder> responder) {
    responder->Start({});
    responder->OnClose([&] {
      EXPECT_TRUE(stream->closed());
      EXPECT_EQ(stream->Write(Bytes("x")), WriteOutcome::kClosed);
      events_.Add("closed");
    });
    stream = std::move(responder);
  });
  RawSocket socket(server_->port());
  socket.Send(kGet);
  EXPECT_THAT(socket.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  socket.Close();
  EXPECT_EQ(events_.Next(), "closed");
}

TEST_F(HttpServerTest, AHalfClosedClientStillGetsItsAnswer) {
  StartServer([&](const Request&, const std::shared_ptr<Responder>& responder) {
    responder->reactor().Post([responder] { responder->Respond({}, Bytes("late answer")); });
  });
  const RawSocket socket(server_->port());
  socket.Send(kGet);
  socket.EndSending();
  EXPECT_THAT(socket.ReadAll(), EndsWith("late answer"));
}

// What was read of a request may still be in the socket, and closing that would reset it.
TEST_F(HttpServerTest, ClosesAfterRequestsWithBodiesWithoutAReset) {
  StartServer(Echo);
  const RawSocket socket(server_->port());
  constexpr std::string_view kHead = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n";
  const RawSocket idle(server_->port());
  for (const std::string_view more : {"\r\n", "\r\n", "Connection: close\r\n\r\n"}) {
    for (const RawSocket* const one : {&socket, &idle}) {
      one->Send(kHead);
      one->Send(one == &idle ? "\r\n" : more);
      one->Send("body");
      EXPECT_THAT(one->ReadUntil("POST / body"), EndsWith("POST / body"));
    }
  }
  EXPECT_TRUE(socket.WasEnded());
  server_->Shutdown(kPatience);
  EXPECT_TRUE(idle.WasEnded());
}

TEST_F(HttpServerTest, ALaggingStreamIsFullAndWritableAgain) {
  std::shared_ptr<Responder> stream;
  size_t written = 0;
  const Bytes piece(std::string(64 << 10, 'x'));
  HttpServerOptions options;
  options.send_buffer_bytes = 4096;
  StartServer(
      [&](const Request&, std::shared_ptr<Responder> responder) {
        stream = std::move(responder);
        stream->Start({});
        WriteOutcome outcome = WriteOutcome::kQueued;
        while ((outcome = stream->Write(piece)) == WriteOutcome::kQueued) written += piece.size();
        EXPECT_EQ(outcome, WriteOutcome::kFull);
        EXPECT_LE(stream->queued_bytes(), kStreamQueueBytesMax + 200);
        EXPECT_GT(stream->queued_bytes(), kStreamQueueBytesMax - 2 * piece.size());
        stream->OnWritable([&] {
          EXPECT_LT(stream->queued_bytes(), kStreamQueueBytesMax / 2);
          EXPECT_EQ(stream->Write(piece), WriteOutcome::kQueued);
          written += piece.size();
          stream->Finish();
          events_.Add("writable");
        });
        events_.Add("full");
      },
      options);
  const RawSocket socket(server_->port(), 4096);
  socket.Send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(events_.Next(), "full");
  const std::string all = socket.ReadAll();
  EXPECT_EQ(events_.Next(), "writable");
  EXPECT_EQ(all.size() - all.find("\r\n\r\n") - 4, written);
}

TEST_F(HttpServerTest, AStalledReaderIsClosed) {
  HttpServerOptions options;
  options.send_buffer_bytes = 4096;
  options.stall_timeout = milliseconds(20);
  std::shared_ptr<Responder> stream;
  StartServer(
      [&](const Request&, std::shared_ptr<Responder> responder) {
        stream = std::move(responder);
        stream->Start({});
        // Past the bound, but nothing waits except the head.
        EXPECT_EQ(stream->Write(Bytes(std::string(16 << 20, 'x'))), WriteOutcome::kQueued);
        stream->OnClose([&] { events_.Add("closed"); });
      },
      options);
  const RawSocket socket(server_->port(), 4096);
  socket.Send(kGet);
  EXPECT_EQ(events_.Next(), "closed");
}

TEST_F(HttpServerTest, SlowPeersAreClosedInEveryPhase) {
  const Pki pki = Pki::Make();
  HttpServerOptions options;
  options.tls = tls::ServerContext::Create({pki.server, ""}).value();
  options.handshake_timeout = options.head_timeout = options.body_timeout = options.idle_timeout =
      milliseconds(20);
  LetTimeStand();
  StartServer(Echo, options);
  for (const std::string_view begin :
       {std::string_view(""),
        std::string_view("\x16"),
        std::string_view("\x16\x03\x01\x02\x00", 5),
        std::string_view("GET / HT"),
        std::string_view("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nx")}) {
    const RawSocket socket(server_->port());
    if (!begin.empty()) socket.Send(begin);
    const PassingTime passes(*this);
    EXPECT_EQ(socket.ReadAll(), "") << begin;
  }
  const RawSocket idle(server_->port());
  idle.Send(kGet);
  EXPECT_THAT(idle.ReadUntil("GET / "), EndsWith("GET / "));
  const PassingTime passes(*this);
  EXPECT_EQ(idle.ReadAll(), "");
}

TEST_F(HttpServerTest, ConnectionsPastTheLimitAreClosed) {
  HttpServerOptions options;
  options.connections_max = 2;
  StartServer(Echo, options);
  const auto greeted = [&](const RawSocket& socket) {
    socket.Send(kGet);
    return !socket.ReadUntil("GET / ").empty();
  };
  const RawSocket first(server_->port());
  ASSERT_TRUE(greeted(first));
  const RawSocket second(server_->port());
  ASSERT_TRUE(greeted(second));
  const RawSocket third(server_->port());
  EXPECT_EQ(third.ReadAll(), "");
  EXPECT_EQ(server_->connections(), 2U);
}

TEST_F(HttpServerTest, AForgottenAnswerBreaksTheConnection) {
  StartServer([](const Request&, const std::shared_ptr<Responder>&) {});
  const RawSocket socket(server_->port());
  socket.Send(kGet);
  EXPECT_EQ(socket.ReadAll(), "");
}

TEST_F(HttpServerTest, AbortLeavesTheMessageIncomplete) {
  StartServer([](const Request&, const std::shared_ptr<Responder>& responder) {
    responder->Start({});
    responder->Write(Bytes("x"));
    responder->reactor().Post([responder] { responder->Abort(); });
  });
  client::HttpClient client(RealWorld().clock, ClientOptions());
  const auto answer = client.Send({.method = "GET", .target = "/", .headers = {}, .body = {}});
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().reason, StatusReason::kServiceUnavailable);
}

TEST_F(HttpServerTest, MalformedRequestsGet400AndAreClosed) {
  StartServer(Echo);
  const RawSocket socket(server_->port());
  socket.Send("NONSENSE\r\n\r\n");
  EXPECT_THAT(socket.ReadAll(), StartsWith("HTTP/1.1 400 Bad Request\r\n"));
}

TEST_F(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  StartServer([](const Request& request, const std::shared_ptr<Responder>& responder) {
    responder->reactor().Post([responder, target = request.target] {
      responder->Respond({}, Bytes("<" + target + ">"));
    });
  });
  const RawSocket socket(server_->port());
  std::string requests;
  for (int i = 0; i < 500; ++i) requests += fmt::format("GET /{} HTTP/1.1\r\nHost: h\r\n\r\n", i);
  socket.Send(requests);
  socket.Send("GET /end HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  const std::string all = socket.ReadAll();
  size_t at = 0;
  for (int i = 0; i < 500; ++i) {
    at = all.find(fmt::format("</{}>", i), at);
    ASSERT_NE(at, std::string::npos) << i;
  }
  EXPECT_THAT(all, EndsWith("</end>"));
}

TEST_F(HttpServerTest, ShutdownLetsAnswersEndAndClosesIdleConnections) {
  std::shared_ptr<Responder> waiting;
  StartServer([&](const Request& request, std::shared_ptr<Responder> responder) {
    if (request.target == "/idle") return responder->Respond({}, Bytes("idle"));
    waiting = std::move(responder);
    events_.Add("waiting");
  });
  const RawSocket idle(server_->port());
  idle.Send("GET /idle HTTP/1.1\r\nHost: h\r\n\r\n");
  idle.ReadUntil("\r\n\r\nidle");
  const RawSocket busy(server_->port());
  busy.Send(kGet);
  EXPECT_EQ(events_.Next(), "waiting");
  std::thread shutdown([&] { server_->Shutdown(kPatience); });
  EXPECT_EQ(idle.ReadAll(), "");  // closed: shutting down has begun
  server_->reactors().front()->Post([&] { waiting->Respond({}, Bytes("done")); });
  EXPECT_THAT(busy.ReadAll(), EndsWith("Connection: close\r\n\r\ndone"));
  busy.EndSending();
  shutdown.join();
  EXPECT_EQ(server_->connections(), 0U);
}

TEST_F(HttpServerTest, ShutdownDoesNotWaitForPeersThatKeepConnectionsForLater) {
  HttpServerOptions options;
  options.linger_timeout = std::chrono::hours(1);
  StartServer(
      [&](const Request&, const std::shared_ptr<Responder>& responder) {
        responder->Start({});
        responder->OnShutdown([responder] { responder->Finish(); });
        events_.Add("started");
      },
      options);
  const RawSocket socket(server_->port());
  socket.Send(kGet);
  EXPECT_EQ(events_.Next(), "started");
  server_->Shutdown(std::chrono::hours(1));
  EXPECT_THAT(socket.ReadAll(), EndsWith("0\r\n\r\n"));
}

TEST_F(HttpServerTest, ShutdownWithoutGraceBreaksStreamsOff) {
  StartServer([&](const Request&, const std::shared_ptr<Responder>& responder) {
    responder->Start({});
    responder->OnClose([this, responder] { events_.Add("closed"); });
    events_.Add("started");
  });
  const RawSocket socket(server_->port());
  socket.Send(kGet);
  EXPECT_EQ(events_.Next(), "started");
  server_->Shutdown(milliseconds(0));
  EXPECT_EQ(events_.Next(), "closed");
}

TEST_F(HttpServerTest, SeveralReactorsShareThePort) {
  HttpServerOptions options;
  options.reactors = 3;
  StartServer(Echo, options);
  EXPECT_EQ(server_->reactors().size(), 3U);
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([this] {
      client::HttpClient client(RealWorld().clock, ClientOptions());
      for (int k = 0; k < 20; ++k) {
        const auto answer =
            client.Send({.method = "GET", .target = "/", .headers = {}, .body = {}});
        EXPECT_EQ(answer.value().body, "GET / ");
      }
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST_F(HttpServerTest, ReactorsHaveALimit) {
  for (const size_t asked : {kReactorsMax, kReactorsMax + 1}) {
    HttpServerOptions options;
    options.reactors = asked;
    StartServer(Echo, options);
    EXPECT_EQ(server_->reactors().size(), kReactorsMax);
  }
}

// What is still sent after the last answer is dropped up to a limit, then the connection goes.
TEST_F(HttpServerTest, InputThatNobodyWantsHasALimit) {
  HttpServerOptions options;
  options.body_bytes_max = 1;
  options.linger_timeout = std::chrono::hours(1);  // not what ends it
  StartServer(Echo, options);
  const RawSocket socket(server_->port());
  socket.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000000\r\n\r\n");
  EXPECT_THAT(socket.ReadAll(), StartsWith("HTTP/1.1 413 "));
  socket.Send(std::string(kLingerBytesMax, 'x'));
  client::HttpClient client(RealWorld().clock, ClientOptions());
  for (int turns = 0; turns < 100; ++turns) {
    ASSERT_TRUE(client.Send({.method = "GET", .target = "/"}).has_value());
  }
  EXPECT_EQ(server_->connections(), 2U);
  socket.Send("x");
  while (server_->connections() != 1) std::this_thread::yield();
}

TEST_F(HttpServerTest, CertificatesAreReplacedWhileRunning) {
  const Pki before = Pki::Make(), after = Pki::Make();
  HttpServerOptions options;
  options.tls = tls::ServerContext::Create({before.server, ""}).value();
  const std::shared_ptr<tls::ServerContext> tls = options.tls;
  StartServer(Echo, options);
  const auto trusts = [&](const Pki& pki) {
    client::HttpClient client(RealWorld().clock,
                              TlsClientOptionsFor({.ca_pem = pki.ca.certificate_pem}));
    return client.Send({.method = "GET", .target = "/", .headers = {}, .body = {}}).has_value();
  };
  EXPECT_TRUE(trusts(before));
  EXPECT_FALSE(tls->Replace({.credentials = {before.server.certificate_pem, after.server.key_pem}})
                   .has_value());
  EXPECT_TRUE(trusts(before));
  EXPECT_TRUE(tls->Replace({.credentials = after.server}).has_value());
  EXPECT_FALSE(trusts(before));
  EXPECT_TRUE(trusts(after));
}

TEST(HttpServerStart, RefusesWhatCannotWork) {
  testing::FunctionHandler handler(Echo);
  const Log log = Log::Silent();
  const auto start = [&](const HttpServerOptions& options) {
    const auto server = HttpServer::Start(RealWorld().clock, log, options, handler);
    return server.has_value() ? "started" : server.error().message;
  };
  EXPECT_THAT(start({.address = "nowhere"}), HasSubstr("not an IP address"));
  EXPECT_THAT(start({.address = "0.0.0.0"}), HasSubstr("needs TLS"));
  const auto first = HttpServer::Start(RealWorld().clock, log, {}, handler);
  EXPECT_THAT(start({.port = (*first)->port()}), HasSubstr("cannot listen"));
}

TEST(ReactorTimers, RunInOrderAndNotOnceCancelled) {
  Reactor reactor(RealWorld().clock);
  std::vector<int> ran;
  const Timer second = reactor.RunAfter(milliseconds(4), [&] { ran.push_back(2); });
  const Timer first = reactor.RunAfter(milliseconds(1), [&] { ran.push_back(1); });
  Timer cancelled = reactor.RunAfter(milliseconds(2), [&] { ran.push_back(-1); });
  {
    const Timer dropped = reactor.RunAfter(milliseconds(2), [&] { ran.push_back(-2); });
  }
  const Timer last = reactor.RunAfter(milliseconds(6), [&] {
    ran.push_back(3);
    reactor.Stop();
  });
  cancelled.Cancel();
  reactor.Post([&] { ran.push_back(reactor.in_thread() ? 0 : -3); });
  reactor.Run();
  EXPECT_THAT(ran, ElementsAre(0, 1, 2, 3));
}

TEST(ReactorTimers, MayOutliveTheReactor) {
  Timer timer;
  {
    Reactor reactor(RealWorld().clock);
    timer = reactor.RunAfter(std::chrono::hours(1), [] {});
  }
  timer.Cancel();
}

}  // namespace
}  // namespace dray::net::server
