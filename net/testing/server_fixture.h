// SPDX-License-Identifier: Apache-2.0
// For tests: a server on a free loopback port, a handler made of a function, raw sockets, and
// events to wait for instead of sleeping.
#pragma once

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bounded_queue.h"
#include "base/check.h"
#include "base/log.h"
#include "base/share_budget.h"
#include "base/simulated_world.h"
#include "base/world.h"
#include "net/client/http_client.h"
#include "net/http.h"
#include "net/server/http_server.h"
#include "net/tls/certificates.h"
#include "net/tls/context.h"
#include "net/url.h"

namespace dray::net::testing {

inline constexpr std::chrono::milliseconds kPatience{600'000};  // only ever used up by a bug

/// What a shell command prints; "no shell" when there is none.
inline std::string OutputOf(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "no shell";
  std::string out;
  std::array<char, 4096> part{};
  size_t size = 0;
  while ((size = fread(part.data(), 1, part.size(), pipe)) > 0) out.append(part.data(), size);
  pclose(pipe);
  return out;
}

class FunctionHandler final : public Handler {
 public:
  using Function = std::function<void(Request, std::shared_ptr<Responder>)>;
  using Judge = std::function<bool(const Request&)>;
  explicit FunctionHandler(Function function, Judge knows = nullptr)
      : function_(std::move(function)), knows_(std::move(knows)) {}
  /// A request with the header User has a share of its own.
  Sender SenderOf(const Request& head) const override {
    Sender sender{.is_known = !knows_ || knows_(head)};
    if (head.headers.Has("User")) {
      sender.owner = std::make_shared<const ShareOwner>(
          ShareOwner{.name = std::string(head.headers.Get("User")), .rank = ShareRank::kUsual});
    }
    return sender;
  }
  void Handle(Request request, std::shared_ptr<Responder> responder) override {
    function_(std::move(request), std::move(responder));
  }

 private:
  Function function_;
  Judge knows_;
};

/// Words from other threads, in the order they came.
class Events {
 public:
  void Add(std::string event) { EXPECT_TRUE(queue_.TryPush(std::move(event))); }
  std::string Next() { return queue_.Pop().value_or(""); }
  bool empty() const { return queue_.size() == 0; }

 private:
  BoundedQueue<std::string> queue_{1000};
};

/// An authority with a server's and a client's certificate.
struct Pki {
  tls::Credentials ca, server, client;
  static Pki Make() { return Make(RealWorld().random, RealWorld().clock.Now()); }
  static Pki Make(Random& random, WallTime now) {
    Pki pki;
    pki.ca = tls::MakeCa(random, now, {}).value();
    pki.server = tls::MakeServingCertificate(random, now, pki.ca, {}).value();
    pki.client = tls::MakeClientCertificate(
                     random, now, pki.ca, {.common_name = "alice", .organizations = {"dev", "ops"}})
                     .value();
    return pki;
  }
};

class ServerTest : public ::testing::Test {
 protected:
  void StartServer(FunctionHandler::Function function,
                   server::HttpServerOptions options = {},
                   FunctionHandler::Judge knows = nullptr) {
    handler_ = std::make_unique<FunctionHandler>(std::move(function), std::move(knows));
    options.tick = kTick;
    auto server = server::HttpServer::Start(*server_clock_, log_, std::move(options), *handler_);
    ASSERT_TRUE(server.has_value()) << server.error().message;
    server_ = *std::move(server);
  }

  client::HttpClientOptions ClientOptions(Scheme scheme = Scheme::kHttp) const {
    client::HttpClientOptions options;
    options.server = {.scheme = scheme, .host = "127.0.0.1", .port = server_->port(), .path = ""};
    options.connect_timeout = options.request_timeout = kPatience;
    return options;
  }

  /// Before StartServer: its time passes while there is a PassingTime, and stands otherwise,
  /// however busy the machine is.
  void LetTimeStand() { server_clock_ = &standing_clock_; }

  /// One tick after the other, for a server whose time stands.
  class PassingTime {
   public:
    explicit PassingTime(ServerTest& test)
        : ticks_([&test](const std::stop_token& stop) {
            while (!stop.stop_requested()) test.Tick();
          }) {}

   private:
    std::jthread ticks_;
  };

  client::HttpClientOptions TlsClientOptionsFor(const tls::ClientOptions& tls) const {
    client::HttpClientOptions options = ClientOptions(Scheme::kHttps);
    options.tls = tls::ClientContext::Create(tls).value();
    return options;
  }

  SimulatedClock standing_clock_;
  const Clock* server_clock_ = &RealWorld().clock;
  Log log_ = Log::Silent();
  Events events_;  // outlives the server, whose thread may still be in Add when Next returns
  std::unique_ptr<FunctionHandler> handler_;
  std::unique_ptr<server::HttpServer> server_;

 private:
  static constexpr std::chrono::milliseconds kTick{5};

  /// Returns when the server has noticed.
  void Tick() {
    standing_clock_.Advance(kTick);
    std::promise<void> noticed;
    server_->reactors().front()->Post([&] { noticed.set_value(); });
    noticed.get_future().wait();
  }
};

/// A client that does what no client should.
class RawSocket {
 public:
  explicit RawSocket(uint16_t port, int receive_buffer_bytes = 0)
      : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    DRAY_CHECK(descriptor_ >= 0);
    if (receive_buffer_bytes > 0) {
      setsockopt(
          descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~RawSocket() { Close(); }
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;

  void Send(std::string_view text) const {
    EXPECT_EQ(send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  void EndSending() const { shutdown(descriptor_, SHUT_WR); }
  void Close() {
    if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  }
  /// Everything until the server closes.
  std::string ReadAll() const {
    std::string all;
    while (ReadPart(all)) {
    }
    return all;
  }
  /// The server has ended the connection, and not by a reset. Reads what it still sends.
  bool WasEnded() const {
    std::array<char, 4096> part;
    while (true) {
      const ssize_t size = recv(descriptor_, part.data(), part.size(), 0);
      if (size <= 0) return size == 0;
    }
  }
  /// Everything up to the first `end`.
  std::string ReadUntil(std::string_view end) const {
    std::string all;
    while (all.find(end) == std::string::npos && ReadPart(all)) {
    }
    return all;
  }

 private:
  bool ReadPart(std::string& all) const {
    pollfd one{.fd = descriptor_, .events = POLLIN, .revents = 0};
    if (poll(&one, 1, static_cast<int>(kPatience.count())) != 1) {
      ADD_FAILURE() << "the server neither sent nor closed";
      return false;
    }
    char part[4096];
    const ssize_t size = recv(descriptor_, part, sizeof part, 0);
    if (size > 0) all.append(part, static_cast<size_t>(size));
    return size > 0;
  }

  int descriptor_;
};

}  // namespace dray::net::testing
