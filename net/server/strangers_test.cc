// SPDX-License-Identifier: Apache-2.0
// Limits of what connections of unauthenticated clients can hold.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "base/bounded_queue.h"
#include "net/http.h"
#include "net/testing/server_fixture.h"
#include "net/tls/certificates.h"
#include "net/tls/context.h"
#include "net/tls/transport.h"

namespace dray::net::server {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using testing::Pki;
using testing::RawSocket;
using ::testing::StartsWith;

constexpr std::string_view kKnown = "GET / HTTP/1.1\r\nHost: h\r\nToken: 1\r\n\r\n";
constexpr std::string_view kStranger = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

/// Knows who shows a token, and says what became of the body.
class StrangersTest : public testing::ServerTest {
 protected:
  void Start(const HttpServerOptions& options) {
    StartServer(
        [](const Request& request, const std::shared_ptr<Responder>& responder) {
          constexpr std::string_view kNames[] = {"whole", "too large", "no room", "skipped"};
          const std::string_view state = kNames[static_cast<size_t>(request.body_state)];
          responder->Respond({}, Bytes(fmt::format("{} {}", request.body.size(), state)));
        },
        options,
        [](const Request& head) { return head.headers.Has("Token"); });
  }
};

/// Whether the server answers the request, so has read it and closed nothing.
bool Answers(const RawSocket& socket, std::string_view request) {
  socket.Send(request);
  return socket.ReadUntil("whole").ends_with("0 whole");
}

TEST_F(StrangersTest, TheirBodiesAreNotRead) {
  Start({});
  const RawSocket socket(server_->port());
  socket.Send(
      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3000000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(socket.ReadAll(), AllOf(StartsWith("HTTP/1.1 200"), EndsWith("0 skipped")));
  const RawSocket known(server_->port());
  known.Send(
      "POST / HTTP/1.1\r\nHost: h\r\nToken: 1\r\nContent-Length: 2\r\nExpect: "
      "100-continue\r\n\r\n");
  EXPECT_EQ(known.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  known.Send("hi");
  EXPECT_THAT(known.ReadUntil("whole"), EndsWith("2 whole"));
  // Each request is authenticated anew, also on a connection with an authenticated one before it.
  known.Send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_THAT(known.ReadAll(), EndsWith("0 skipped"));
}

TEST_F(StrangersTest, TheOldestMakesRoomForWhoComes) {
  Start({.connections_max = 8});  // of which two are strangers'
  std::vector<std::unique_ptr<RawSocket>> known;
  for (int i = 0; i < 6; ++i) {
    known.push_back(std::make_unique<RawSocket>(server_->port()));
    ASSERT_TRUE(Answers(*known.back(), kKnown)) << i;
  }
  const RawSocket first(server_->port());
  ASSERT_TRUE(Answers(first, kStranger));
  const RawSocket second(server_->port());
  ASSERT_TRUE(Answers(second, kStranger));
  const RawSocket third(server_->port());
  EXPECT_EQ(first.ReadAll(), "") << "the oldest is closed";
  ASSERT_TRUE(Answers(third, kStranger));
  const RawSocket user(server_->port());  // one past the limit: another stranger goes
  EXPECT_EQ(second.ReadAll(), "");
  ASSERT_TRUE(Answers(user, kKnown));
  const RawSocket another(server_->port());
  EXPECT_EQ(third.ReadAll(), "");
  ASSERT_TRUE(Answers(another, kKnown));
  const RawSocket late(server_->port());
  EXPECT_EQ(late.ReadAll(), "") << "all are taken by those who are known";
  for (const auto& socket : known) EXPECT_TRUE(Answers(*socket, kKnown));
  EXPECT_EQ(server_->connections(), 8U);
}

TEST_F(StrangersTest, WhatTheyHoldTogetherIsLimited) {
  // A head of 40,000 bytes costs 40,000 to 80,000, as strings grow: one fits for certain, three do
  // not.
  Start({.stranger_bytes_max = 200'000});  // of which one address has half
  const std::string head = "GET / HTTP/1.1\r\nHost: h\r\nA: " + std::string(40'000, 'a');
  const auto settled = [&] {  // the server has read what came before
    const RawSocket user(server_->port());
    return Answers(user, kKnown);
  };
  const RawSocket first(server_->port()), second(server_->port()), third(server_->port());
  for (const RawSocket* socket : {&first, &second, &third}) {
    socket->Send(head);
    EXPECT_TRUE(settled());
  }
  EXPECT_EQ(third.ReadAll(), "");
  EXPECT_TRUE(Answers(first, "\r\n\r\n"));
  EXPECT_TRUE(settled()) << "who is known may come whatever strangers hold";
}

TEST_F(StrangersTest, UntakenAnswersCountToo) {
  Start({.stranger_bytes_max = 200'000, .send_buffer_bytes = 4096});
  const RawSocket socket(server_->port(), 4096);
  std::string requests;
  for (int i = 0; i < 2000; ++i) requests += kStranger;
  socket.Send(requests);
  const RawSocket user(server_->port());
  EXPECT_TRUE(Answers(user, kKnown));
  EXPECT_LT(socket.ReadAll().size(), requests.size() * 2);
}

std::string AskAs(std::string_view user, std::string_view target = "/") {
  return fmt::format("GET {} HTTP/1.1\r\nHost: h\r\nToken: 1\r\nUser: {}\r\n\r\n", target, user);
}

TEST_F(StrangersTest, OneUserHasHisShareOfConnections) {
  Start({.connections_max = 16});  // of which two are one user's
  std::vector<std::unique_ptr<RawSocket>> sockets;
  for (int i = 0; i < 4; ++i) {
    sockets.push_back(std::make_unique<RawSocket>(server_->port()));
    ASSERT_TRUE(Answers(*sockets.back(), AskAs("greedy"))) << i;
  }
  EXPECT_EQ(sockets[0]->ReadAll(), "") << "his oldest idle one makes room";
  EXPECT_EQ(sockets[1]->ReadAll(), "");
  EXPECT_TRUE(Answers(*sockets[2], AskAs("greedy")));
  EXPECT_TRUE(Answers(*sockets[3], AskAs("greedy")));
  const RawSocket other(server_->port());
  EXPECT_TRUE(Answers(other, AskAs("other"))) << "others notice nothing";
  EXPECT_EQ(server_->connections(), 3U);
}

TEST_F(StrangersTest, WhoKeepsHisConnectionsBusyGetsNoMore) {
  BoundedQueue<std::shared_ptr<Responder>> held(16);
  StartServer(
      [&](const Request& request, std::shared_ptr<Responder> responder) {
        const bool has_room = request.body_state == BodyState::kWhole;
        if (has_room && request.target == "/wait") {
          EXPECT_TRUE(held.TryPush(std::move(responder)));
        } else {
          responder->Respond({.status = has_room ? 200 : 429}, Bytes("said"));
        }
      },
      {.connections_max = 16});
  const RawSocket first(server_->port()), second(server_->port()), third(server_->port());
  first.Send(AskAs("greedy", "/wait"));
  second.Send(AskAs("greedy", "/wait"));
  const std::vector<std::shared_ptr<Responder>> waiting = {*held.Pop(), *held.Pop()};
  third.Send(AskAs("greedy"));
  EXPECT_THAT(third.ReadAll(), AllOf(StartsWith("HTTP/1.1 429"), EndsWith("said"))) << "and closed";
  const RawSocket other(server_->port());
  other.Send(AskAs("other"));
  EXPECT_THAT(other.ReadUntil("said"), StartsWith("HTTP/1.1 200"));
  for (const auto& responder : waiting) {
    responder->reactor().Post([responder] { responder->Respond({}, Bytes("at last")); });
  }
  EXPECT_THAT(first.ReadUntil("last"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(second.ReadUntil("last"), StartsWith("HTTP/1.1 200"));
}

TEST(TlsStrangers, NothingIsKeptOfThem) {
  const Pki pki = Pki::Make();
  const auto context = tls::ServerContext::Create({pki.server, pki.ca.certificate_pem}).value();
  SSL_CTX* const ssl = context->state()->context.get();
  EXPECT_EQ(SSL_CTX_get_session_cache_mode(ssl), SSL_SESS_CACHE_OFF);
  EXPECT_EQ(SSL_CTX_get_num_tickets(ssl), 0U);
  EXPECT_NE(SSL_CTX_get_options(ssl) & SSL_OP_NO_TICKET, 0U);
  EXPECT_EQ(SSL_CTX_get_max_cert_list(ssl), static_cast<long>(tls::kClientCertificatesBytesMax));
}

TEST_F(StrangersTest, ACertificateHasALimit) {
  const Pki pki = Pki::Make();
  World& world = RealWorld();
  HttpServerOptions options;
  options.tls = tls::ServerContext::Create({pki.server, pki.ca.certificate_pem}).value();
  Start(options);
  const auto status = [&](size_t groups) {
    std::vector<std::string> organizations(groups, std::string(60, 'g'));
    const tls::Credentials shown =
        tls::MakeClientCertificate(world.random,
                                   world.clock.Now(),
                                   pki.ca,
                                   {.common_name = "u", .organizations = std::move(organizations)})
            .value();
    client::HttpClient client(
        world.clock,
        TlsClientOptionsFor({.ca_pem = pki.ca.certificate_pem, .client_certificate = shown}));
    const auto answer = client.Send({.method = "GET", .target = "/", .headers = {}, .body = {}});
    return answer ? answer->status : 0;
  };
  EXPECT_EQ(status(100), 200);
  EXPECT_EQ(status(300), 0);
}

}  // namespace
}  // namespace dray::net::server
