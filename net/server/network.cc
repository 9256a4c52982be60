// SPDX-License-Identifier: Apache-2.0
#include "net/server/network.h"

#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/descriptor.h"
#include "base/result.h"
#include "net/poller.h"
#include "net/server/socket_address.h"
#include "net/socket.h"

namespace dray::net::server {
namespace {

bool SetOption(int descriptor, int level, int name, int value) {
  return setsockopt(descriptor, level, name, &value, sizeof value) == 0;
}

/// Errors that accept(2) passes on from the one connection that it took from the queue.
bool IsOfOneConnection(int error) {
  return error == ECONNABORTED || error == EINTR || error == EPROTO || error == EPERM ||
         error == ENETDOWN || error == ENETUNREACH || error == EHOSTDOWN || error == EHOSTUNREACH ||
         error == ENONET || error == ENOPROTOOPT || error == EOPNOTSUPP;
}

class KernelAcceptor final : public Acceptor {
 public:
  KernelAcceptor(Descriptor listener, int send_buffer_bytes)
      : listener_(std::move(listener)), send_buffer_bytes_(send_buffer_bytes) {}

  Outcome Accept() override {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how the kernel is called
    auto* const into = reinterpret_cast<sockaddr*>(&peer);
    Descriptor socket(accept4(listener_.get(), into, &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.is_open()) {
      const int error = errno;
      if (IsOfOneConnection(error)) return {.status = Status::kSkipped};
      if (error == EAGAIN || error == EWOULDBLOCK) return {.status = Status::kNobody};
      return {.status = Status::kFailed, .error = error};
    }
    SetOption(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1);
    SetOption(socket.get(), SOL_SOCKET, SO_KEEPALIVE, 1);
    if (send_buffer_bytes_ > 0) {
      SetOption(socket.get(), SOL_SOCKET, SO_SNDBUF, send_buffer_bytes_);
    }
    return {.status = Status::kAccepted,
            .socket = MakeKernelSocket(std::move(socket)),
            .peer = SocketAddress::Of(peer)};
  }

  SocketAddress address() const override { return SocketAddress::OfSocket(listener_.get()); }
  int descriptor() const override { return listener_.get(); }
  void Close() override { listener_.Close(); }

 private:
  Descriptor listener_;
  const int send_buffer_bytes_;
};

class Kernel final : public Network {
 public:
  std::unique_ptr<Poller> MakePoller() override { return MakeEpoll(); }

  Result<std::unique_ptr<Acceptor>> Listen(const ListenOptions& options) override {
    const SocketAddress& address = options.address;
    Descriptor listener(
        socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
    const int socket = listener.get();
    const bool ok = listener.is_open() && SetOption(socket, SOL_SOCKET, SO_REUSEADDR, 1) &&
                    (!options.shares_port || SetOption(socket, SOL_SOCKET, SO_REUSEPORT, 1)) &&
                    bind(socket, address.get(), address.size()) == 0 &&
                    listen(socket, SOMAXCONN) == 0;
    if (!ok) {
      return Fail(StatusReason::kServiceUnavailable,
                  fmt::format("cannot listen on {} port {}: {}",
                              address.host(),
                              address.port(),
                              std::generic_category().message(errno)));
    }
    return std::make_unique<KernelAcceptor>(std::move(listener), options.send_buffer_bytes);
  }
};

}  // namespace

Network& KernelNetwork() {
  static Kernel kernel;
  return kernel;
}

}  // namespace dray::net::server
