// SPDX-License-Identifier: Apache-2.0
#include "net/client/connection.h"

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"
#include "base/try.h"
#include "base/world.h"
#include "net/client/cancellation.h"
#include "net/client/dialer.h"
#include "net/client/options.h"
#include "net/http.h"
#include "net/http1/reader.h"
#include "net/socket.h"
#include "net/tls/transport.h"
#include "net/transport.h"

namespace dray::net::client {
namespace {

// Read at once: one large TLS record.
constexpr size_t kReadBytes = size_t{16} << 10;

}  // namespace

Connection::Connection(const Clock& clock,
                       std::shared_ptr<const Cancellation> cancellation,
                       std::unique_ptr<BlockingSocket> socket)
    : clock_(clock), cancellation_(std::move(cancellation)), socket_(std::move(socket)) {}

Connection::~Connection() {
  if (transport_) transport_->EndWriting();
}

Result<std::unique_ptr<Connection>> Connection::Open(const Clock& clock,
                                                     const HttpClientOptions& options) {
  IgnoreBrokenPipes();
  const MonotonicTime deadline = clock.Monotonic() + options.connect_timeout;
  Dialer& dialer = options.dialer != nullptr ? *options.dialer : KernelDialer();
  DRAY_TRY(std::unique_ptr<BlockingSocket> socket,
           dialer.Dial(clock, options.server, options.cancellation, deadline));
  std::unique_ptr<Connection> connection(
      new Connection(clock, options.cancellation, std::move(socket)));
  DRAY_TRY_VOID(connection->Handshake(options, deadline));
  return connection;
}

Result<> Connection::Handshake(const HttpClientOptions& options, MonotonicTime deadline) {
  if (options.server.scheme == Scheme::kHttp) {
    transport_ = MakePlainTransport(*socket_);
    return {};
  }
  if (!options.tls) return Unavailable(options.server, "https needs a TLS context");
  transport_ =
      tls::MakeClientTransport(*options.tls->state(), *socket_, options.server.host, clock_.Now());
  if (!transport_) return Unavailable(options.server, "TLS cannot be set up");
  while (true) {
    const IoStatus status = transport_->Handshake();
    switch (status) {
      case IoStatus::kDone: return {};
      case IoStatus::kWantRead:
      case IoStatus::kWantWrite: DRAY_TRY_VOID(socket_->Wait(status, deadline)); break;
      case IoStatus::kEnd: return Unavailable(options.server, "closed during the TLS handshake");
      case IoStatus::kBroken: return Unavailable(options.server, transport_->failure());
    }
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
      case IoStatus::kWantRead:
      case IoStatus::kWantWrite: DRAY_TRY_VOID(socket_->Wait(result.status, deadline)); break;
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
      case IoStatus::kWantRead:
      case IoStatus::kWantWrite: DRAY_TRY_VOID(socket_->Wait(result.status, deadline)); break;
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
  return !socket_->is_readable();
}

}  // namespace dray::net::client
