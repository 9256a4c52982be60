// SPDX-License-Identifier: Apache-2.0
// For tests: an HTTP/2 client on a socket, over TLS or plain, that one thread drives.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/descriptor.h"
#include "base/world.h"
#include "net/socket.h"
#include "net/testing/http2_peer.h"
#include "net/testing/server_fixture.h"
#include "net/tls/context.h"
#include "net/tls/transport.h"
#include "net/transport.h"

namespace dray::net::testing {

class Http2Socket {
 public:
  /// Without a context the connection is plain.
  explicit Http2Socket(uint16_t port,
                       std::shared_ptr<const tls::ClientContext> context = nullptr,
                       const Http2Peer::Options& options = {})
      : peer_(options), context_(std::move(context)) {
    Descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    DRAY_CHECK(made.is_open());
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    fcntl(made.get(), F_SETFL, O_NONBLOCK);
    socket_ = MakeKernelSocket(std::move(made));
    transport_ = context_ == nullptr
                     ? MakePlainTransport(*socket_)
                     : tls::MakeClientTransport(
                           *context_->state(), *socket_, "127.0.0.1", RealWorld().clock.Now());
    while (true) {
      const IoStatus status = transport_->Handshake();
      if (status == IoStatus::kDone) break;
      if (status != IoStatus::kWantRead && status != IoStatus::kWantWrite) {
        closed_ = true;
        break;
      }
      if (!Await(status == IoStatus::kWantRead ? POLLIN : POLLOUT)) break;
    }
  }
  ~Http2Socket() { Close(); }
  Http2Socket(const Http2Socket&) = delete;
  Http2Socket& operator=(const Http2Socket&) = delete;

  void Close() {
    closed_ = true;
    socket_->Close();
  }

  Http2Peer& peer() { return peer_; }
  std::string_view protocol() const { return transport_->protocol(); }
  bool closed() const { return closed_; }

  /// Sends and reads until `done`, or until the connection ends. True: done.
  bool Run(const std::function<bool()>& done) {
    while (!closed_) {
      Send();
      if (done()) return true;
      if (!Receive()) return done();
    }
    return done();
  }

 private:
  bool Await(short events) {
    pollfd one{.fd = socket_->descriptor(), .events = events, .revents = 0};
    const bool is_ready = poll(&one, 1, static_cast<int>(kPatience.count())) == 1;
    if (!is_ready) {
      ADD_FAILURE() << "the server neither sent nor closed";
      closed_ = true;
    }
    return is_ready;
  }

  void Send() {
    unsent_ += peer_.Take();
    while (!unsent_.empty() && !closed_) {
      const IoResult result = transport_->Write(unsent_);
      if (result.status == IoStatus::kDone) {
        unsent_.erase(0, result.size);
      } else if (result.status == IoStatus::kWantWrite) {
        if (!Receive()) return;  // both sides may be full
      } else {
        closed_ = true;
      }
    }
  }

  /// Waits for bytes and reads some. False: the connection has ended.
  bool Receive() {
    std::array<char, 16384> part{};
    while (true) {
      const IoResult result = transport_->Read(part);
      if (result.status == IoStatus::kDone) {
        EXPECT_TRUE(peer_.Feed({part.data(), result.size}));
        return true;
      }
      if (result.status == IoStatus::kWantRead) {
        if (!Await(unsent_.empty() ? POLLIN : POLLIN | POLLOUT)) return false;
        if (!unsent_.empty()) return true;
        continue;
      }
      closed_ = true;
      return false;
    }
  }

  Http2Peer peer_;
  std::shared_ptr<const tls::ClientContext> context_;
  std::unique_ptr<Socket> socket_;
  std::unique_ptr<Transport> transport_;
  std::string unsent_;
  bool closed_ = false;
};

}  // namespace dray::net::testing
