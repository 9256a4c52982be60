// SPDX-License-Identifier: Apache-2.0
#include "net/client/dialer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/descriptor.h"
#include "base/result.h"
#include "base/try.h"
#include "base/world.h"
#include "net/client/addresses.h"
#include "net/client/cancellation.h"
#include "net/socket.h"
#include "net/url.h"

namespace dray::net::client {
namespace {

class KernelBlockingSocket final : public BlockingSocket {
 public:
  KernelBlockingSocket(const Clock& clock,
                       Descriptor socket,
                       std::shared_ptr<const Cancellation> cancellation)
      : clock_(clock),
        socket_(MakeKernelSocket(std::move(socket))),
        cancellation_(std::move(cancellation)) {}

  IoResult Read(std::span<char> into) override { return socket_->Read(into); }
  IoResult Peek(std::span<char> into) override { return socket_->Peek(into); }
  IoResult Write(std::string_view bytes) override { return socket_->Write(bytes); }
  void EndWriting() override { socket_->EndWriting(); }
  void Close() override { socket_->Close(); }
  int descriptor() const override { return socket_->descriptor(); }

  Result<> Wait(IoStatus blocked, MonotonicTime deadline) override {
    std::array<pollfd, 2> descriptors{{
        {.fd = descriptor(),
         .events = blocked == IoStatus::kWantWrite ? short{POLLOUT} : short{POLLIN},
         .revents = 0},
        {.fd = cancellation_ ? cancellation_->descriptor() : -1, .events = POLLIN, .revents = 0},
    }};
    while (true) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - clock_.Monotonic()).count();
      const int wait = static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX));
      const int ready = poll(descriptors.data(), descriptors.size(), wait);
      if (ready < 0 && errno != EINTR) {
        return Fail(StatusReason::kServiceUnavailable, std::generic_category().message(errno));
      }
      if (cancellation_ && cancellation_->cancelled()) {
        return Fail(StatusReason::kTimeout, "the request was cancelled");
      }
      if (ready > 0) return {};
      if (ready == 0 && left <= 0) return Fail(StatusReason::kTimeout, "the server took too long");
    }
  }

  bool is_readable() const override {
    pollfd one{.fd = descriptor(), .events = POLLIN, .revents = 0};
    return poll(&one, 1, 0) != 0;
  }

 private:
  const Clock& clock_;
  const std::unique_ptr<Socket> socket_;
  const std::shared_ptr<const Cancellation> cancellation_;
};

class Kernel final : public Dialer {
 public:
  Result<std::unique_ptr<BlockingSocket>> Dial(const Clock& clock,
                                               const Endpoint& server,
                                               std::shared_ptr<const Cancellation> cancellation,
                                               MonotonicTime deadline) override {
    const Result<std::vector<Address>> addresses = Resolve(server, Lookup::kNames);
    if (!addresses.has_value()) return Unavailable(server, addresses.error().message);
    Result<std::unique_ptr<BlockingSocket>> outcome = Unavailable(server, "no address");
    for (const Address& one : *addresses) {
      outcome = Connect(clock, server, one, cancellation, deadline);
      if (outcome.has_value()) break;
    }
    return outcome;
  }

 private:
  static Result<std::unique_ptr<BlockingSocket>> Connect(
      const Clock& clock,
      const Endpoint& server,
      const Address& address,
      std::shared_ptr<const Cancellation> cancellation,
      MonotonicTime deadline) {
    const auto why = [](int error) { return std::generic_category().message(error); };
    Descriptor made(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!made.is_open()) return Unavailable(server, why(errno));
    const int descriptor = made.get();
    auto connecting =
        std::make_unique<KernelBlockingSocket>(clock, std::move(made), std::move(cancellation));
    const int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    if (connect(descriptor, address.get(), address.size) == 0) return connecting;
    if (errno != EINPROGRESS) return Unavailable(server, why(errno));
    DRAY_TRY_VOID(connecting->Wait(IoStatus::kWantWrite, deadline));
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return Unavailable(server, why(error));
    return connecting;
  }
};

}  // namespace

Failure Unavailable(const Endpoint& server, std::string_view why) {
  return Fail(StatusReason::kServiceUnavailable, fmt::format("{}: {}", HostPort(server), why));
}

Dialer& KernelDialer() {
  static Kernel kernel;
  return kernel;
}

}  // namespace dray::net::client
