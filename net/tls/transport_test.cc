// SPDX-License-Identifier: Apache-2.0
#include "net/tls/transport.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/world.h"
#include "net/socket.h"
#include "net/testing/server_fixture.h"
#include "net/testing/socket_ends.h"
#include "net/tls/context.h"
#include "net/transport.h"

namespace dray::net::tls {
namespace {

using net::testing::Pki;
using net::testing::SocketEnds;

/// A server's transport and its peer's, after the handshake.
class TlsEnds {
 public:
  TlsEnds() {
    const Pki pki = Pki::Make();
    server_context_ = ServerContext::Create({pki.server, pki.ca.certificate_pem}).value();
    client_context_ = ClientContext::Create({.ca_pem = pki.ca.certificate_pem}).value();
    const WallTime now = RealWorld().clock.Now();
    server = MakeServerTransport(*server_context_->state(), *near_, now);
    client = MakeClientTransport(*client_context_->state(), *far_, "127.0.0.1", now);
    bool client_done = false;
    bool server_done = false;
    while (!client_done || !server_done) {
      client_done = client_done || Shake(*client);
      server_done = server_done || Shake(*server);
    }
  }

  /// All `count` bytes are in the server's socket.
  void Await(size_t count) const { sockets_.Await(count); }
  size_t waiting() const { return sockets_.waiting(); }

 private:
  static bool Shake(Transport& transport) {
    const IoStatus status = transport.Handshake();
    EXPECT_TRUE(status == IoStatus::kDone || status == IoStatus::kWantRead) << transport.failure();
    return status != IoStatus::kWantRead;
  }

  SocketEnds sockets_;
  // Sockets with descriptors of their own, because SocketEnds keeps its descriptors.
  std::unique_ptr<Socket> near_ = MakeKernelSocket(Descriptor(dup(sockets_.near.get())));
  std::unique_ptr<Socket> far_ = MakeKernelSocket(Descriptor(dup(sockets_.far.get())));
  std::shared_ptr<ServerContext> server_context_;
  std::shared_ptr<const ClientContext> client_context_;

 public:
  std::unique_ptr<Transport> server, client;
};

// A reader that is notified of edges only would wait for ever otherwise: OpenSSL may have filled
// its buffer up to the end of a record, while the socket has more.
TEST(TlsTransport, WantsToReadOnlyWhenTheSocketIsEmpty) {
  constexpr int kRecords = 150;
  TlsEnds ends;
  std::array<char, 16384> into{};
  EXPECT_EQ(ends.server->Read(into).status, IoStatus::kWantRead);
  for (size_t bytes = 100; bytes < 300; ++bytes) {
    constexpr size_t kHeadAndTag = 22;  // of a record of TLS 1.3 (RFC 8446, 5.2)
    const std::string record(bytes, 'x');
    for (int i = 0; i < kRecords; ++i) {
      ASSERT_EQ(ends.client->Write(record).status, IoStatus::kDone);
    }
    ends.Await(kRecords * (bytes + kHeadAndTag));
    size_t read = 0;
    while (true) {
      const IoResult result = ends.server->Read(into);
      if (result.status == IoStatus::kWantRead) break;
      ASSERT_EQ(result.status, IoStatus::kDone) << ends.server->failure();
      read += result.size;
    }
    EXPECT_EQ(read, kRecords * bytes);
    EXPECT_EQ(ends.waiting(), 0U) << bytes;
  }
}

}  // namespace
}  // namespace dray::net::tls
