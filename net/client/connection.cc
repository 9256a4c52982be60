// SPDX-License-Identifier: Apache-2.0
#include "net/client/connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <nss.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/result.h"
#include "base/world.h"
#include "net/client/cancellation.h"
#include "net/client/options.h"
#include "net/http.h"
#include "net/http1/reader.h"
#include "net/tls/transport.h"
#include "net/transport.h"
#include "net/url.h"

namespace dray::net::client {
namespace {

// Read at once: one large TLS record.
constexpr size_t kReadBytes = size_t{16} << 10;

Failure Unavailable(const Endpoint& server, std::string_view why) {
  return Fail(StatusReason::kServiceUnavailable, fmt::format("{}: {}", HostPort(server), why));
}

struct FreeAddresses {
  void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};
using AddressList = std::unique_ptr<addrinfo, FreeAddresses>;

/// Where names of servers are looked up.
void ChooseNameServices() {
#ifdef DRAY_STATIC
  // A static program cannot load the modules that nsswitch.conf may name beside these two.
  static const int chosen = __nss_configure_lookup("hosts", "files dns");
  static_cast<void>(chosen);
#endif
}

Result<AddressList> Resolve(const Endpoint& server) {
  ChooseNameServices();
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(server.host.c_str(), std::to_string(server.port).c_str(), &hints, &found);
  if (error != 0) return Unavailable(server, gai_strerror(error));
  return AddressList(found);
}

}  // namespace

Connection::Connection(const Clock& clock,
                       std::shared_ptr<const Cancellation> cancellation,
                       int descriptor)
    : clock_(clock), cancellation_(std::move(cancellation)), descriptor_(descriptor) {}

Connection::~Connection() {
  if (transport_) transport_->EndWriting();
  close(descriptor_);
}

Result<std::unique_ptr<Connection>> Connection::Open(const Clock& clock,
                                                     const HttpClientOptions& options) {
  IgnoreBrokenPipes();
  const MonotonicTime deadline = clock.Monotonic() + options.connect_timeout;
  DRAY_TRY(const AddressList addresses, Resolve(options.server));
  Result<std::unique_ptr<Connection>> outcome = Unavailable(options.server, "no address");
  for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
    outcome = OpenAddress(clock, options, one, deadline);
    if (outcome.has_value()) break;
  }
  if (!outcome.has_value()) return outcome;
  DRAY_TRY_VOID((*outcome)->Handshake(options, deadline));
  return outcome;
}

Result<std::unique_ptr<Connection>> Connection::OpenAddress(const Clock& clock,
                                                            const HttpClientOptions& options,
                                                            const void* address_info,
                                                            MonotonicTime deadline) {
  const auto& address = *static_cast<const addrinfo*>(address_info);
  const int descriptor =
      socket(address.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, address.ai_protocol);
  if (descriptor < 0) return Unavailable(options.server, std::generic_category().message(errno));
  std::unique_ptr<Connection> connection(new Connection(clock, options.cancellation, descriptor));
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  if (connect(descriptor, address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS)
      return Unavailable(options.server, std::generic_category().message(errno));
    DRAY_TRY_VOID(connection->Wait(Direction::kWrite, deadline));
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return Unavailable(options.server, std::generic_category().message(error));
  }
  return connection;
}

Result<> Connection::Handshake(const HttpClientOptions& options, MonotonicTime deadline) {
  if (options.server.scheme == Scheme::kHttp) {
    transport_ = MakePlainTransport(descriptor_);
    return {};
  }
  if (!options.tls) return Unavailable(options.server, "https needs a TLS context");
  transport_ = tls::MakeClientTransport(
      *options.tls->state(), descriptor_, options.server.host, clock_.Now());
  if (!transport_) return Unavailable(options.server, "TLS cannot be set up");
  while (true) {
    switch (transport_->Handshake()) {
      case IoStatus::kDone: return {};
      case IoStatus::kWantRead: DRAY_TRY_VOID(Wait(Direction::kRead, deadline)); break;
      case IoStatus::kWantWrite: DRAY_TRY_VOID(Wait(Direction::kWrite, deadline)); break;
      case IoStatus::kEnd: return Unavailable(options.server, "closed during the TLS handshake");
      case IoStatus::kBroken: return Unavailable(options.server, transport_->failure());
    }
  }
}

Result<> Connection::Wait(Direction direction, MonotonicTime deadline) {
  std::array<pollfd, 2> descriptors{{
      {.fd = descriptor_,
       .events = direction == Direction::kRead ? short{POLLIN} : short{POLLOUT},
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
    if (cancelled()) return Fail(StatusReason::kTimeout, "the request was cancelled");
    if (ready > 0) return {};
    if (ready == 0 && left <= 0) return Fail(StatusReason::kTimeout, "the server took too long");
  }
}

Result<> Connection::WriteAll(std::string_view bytes, MonotonicTime deadline) {
  written_ = received_ = false;
  while (!bytes.empty()) {
    const IoResult result = transport_->Write(bytes.substr(0, kReadBytes));
    switch (result.status) {
      case IoStatus::kDone:
        written_ = true;
        bytes.remove_prefix(result.size);
        break;
      case IoStatus::kWantRead: DRAY_TRY_VOID(Wait(Direction::kRead, deadline)); break;
      case IoStatus::kWantWrite: DRAY_TRY_VOID(Wait(Direction::kWrite, deadline)); break;
      case IoStatus::kEnd:
      case IoStatus::kBroken:
        // The server may have answered (413) and closed before it took everything: read that.
        if (written_) return {};
        return Fail(StatusReason::kServiceUnavailable,
                    fmt::format("sending the request: {}", transport_->failure()));
    }
  }
  return {};
}

Result<> Connection::Advance(std::string& body, MonotonicTime deadline) {
  while (input_.empty() && !ended_) {
    std::array<char, kReadBytes> space;
    const IoResult result = transport_->Read(space);
    switch (result.status) {
      case IoStatus::kDone:
        input_.assign(space.data(), result.size);
        received_ = true;
        break;
      case IoStatus::kWantRead: DRAY_TRY_VOID(Wait(Direction::kRead, deadline)); break;
      case IoStatus::kWantWrite: DRAY_TRY_VOID(Wait(Direction::kWrite, deadline)); break;
      case IoStatus::kEnd: ended_ = true; break;
      case IoStatus::kBroken:
        return Fail(StatusReason::kServiceUnavailable,
                    fmt::format("reading the answer: {}", transport_->failure()));
    }
  }
  if (input_.empty()) {
    reader_.EndOfInput();
  } else {
    input_.erase(0, reader_.Feed(input_, body));
  }
  if (reader_.phase() != http1::Reader::Phase::kFailed) return {};
  if (ended_) {
    return Fail(StatusReason::kServiceUnavailable,
                "the server closed the connection before its answer was complete");
  }
  return Fail(StatusReason::kInternalError, fmt::format("malformed answer: {}", reader_.failure()));
}

Result<> Connection::ReadHead(std::string_view method, MonotonicTime deadline) {
  body_begin_.clear();
  while (true) {
    reader_.Reset();
    if (method == "HEAD") reader_.ExpectNoBody();
    while (reader_.phase() == http1::Reader::Phase::kStart ||
           reader_.phase() == http1::Reader::Phase::kHead) {
      DRAY_TRY_VOID(Advance(body_begin_, deadline));
    }
    if (head().status >= 200) return {};
  }
}

Result<> Connection::ReadSome(std::string& body, MonotonicTime deadline) {
  const size_t before = body.size();
  body += std::exchange(body_begin_, {});
  while (body.size() == before && !message_done()) DRAY_TRY_VOID(Advance(body, deadline));
  return {};
}

bool Connection::reusable() {
  if (!message_done() || !head().keep_alive || !input_.empty() || ended_) return false;
  // Readable while nothing is expected: the server has closed, or speaks out of turn. A TLS 1.3
  // session ticket makes this wrong now and then; that costs a new connection, nothing else.
  pollfd descriptor{.fd = descriptor_, .events = POLLIN, .revents = 0};
  return poll(&descriptor, 1, 0) == 0;
}

}  // namespace dray::net::client
