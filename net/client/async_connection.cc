// SPDX-License-Identifier: Apache-2.0
// A state machine over non-blocking calls. The poller is edge-triggered, so every edge runs it
// until a call would block: no readiness has to be remembered.
#include "net/client/async_connection.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/descriptor.h"
#include "base/result.h"
#include "base/text/ascii.h"
#include "net/loop.h"
#include "net/tls/transport.h"

namespace dray::net::client {
namespace {

// Read at once: one large TLS record.
constexpr size_t kBytesOfRead = size_t{16} << 10;
// One of several addresses gets at least so much, so that a slow network is not given up too early.
constexpr std::chrono::seconds kAddressTimeMin{2};

std::string Why(int error) {
  return LowerAscii(std::generic_category().message(error));
}

Error Unreachable(std::string why) {
  return {.reason = StatusReason::kServiceUnavailable, .message = std::move(why)};
}

// The outcome of a connect that has been in progress: 0, an errno, or EINPROGRESS.
int ConnectError(int descriptor) {
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return error;
  sockaddr_storage peer{};
  size = sizeof peer;
  const int asked = getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &size);
  return asked == 0 ? 0 : EINPROGRESS;
}

}  // namespace

AsyncConnection::AsyncConnection(Reactor& reactor,
                                 const Clock& clock,
                                 std::shared_ptr<const tls::ClientContext> tls,
                                 std::string host)
    : reactor_(reactor), clock_(clock), tls_(std::move(tls)), host_(std::move(host)) {}

AsyncConnection::~AsyncConnection() {
  DropSocket();
}

void AsyncConnection::Open(std::vector<Address> addresses, Exchange first) {
  const auto alive = shared_from_this();
  addresses_ = std::move(addresses);
  exchange_ = std::move(first);
  Connect();
}

void AsyncConnection::Begin(Exchange next) {
  ended_ = nullptr;
  exchange_ = std::move(next);
  written_ = 0;
  received_ = false;
  body_.clear();
  reader_.Reset();
  stage_ = Stage::kSending;
  Progress();
}

void AsyncConnection::Watch(Ended ended) {
  ended_ = std::move(ended);
}

void AsyncConnection::Close() {
  stage_ = Stage::kClosed;
  exchange_.done = nullptr;
  ended_ = nullptr;
  DropSocket();
}

void AsyncConnection::DropSocket() {
  patience_ = Timer();
  if (socket_ == nullptr) return;
  reactor_.loop().Forget(socket_->descriptor(), *this);
  if (transport_ != nullptr) transport_->EndWriting();
  transport_.reset();
  socket_.reset();
}

void AsyncConnection::OnReady(Ready /*ready*/) {
  Progress();
}

void AsyncConnection::Progress() {
  const auto alive = shared_from_this();
  while (Step()) {
  }
}

bool AsyncConnection::Step() {
  switch (stage_) {
    case Stage::kConnecting: return FinishConnecting();
    case Stage::kHandshake: return ShakeHands();
    case Stage::kSending: return Write();
    case Stage::kReceiving: return Read();
    case Stage::kIdle: return ReadWhileIdle();
    case Stage::kClosed: return false;
  }
  return false;
}

// ------------------------------------------------------------------------------------- connecting

void AsyncConnection::Connect() {
  const Address& address = addresses_[next_address_++];
  Descriptor made(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.is_open()) return NextAddress(fmt::format("dial tcp: {}", Why(errno)));
  const int descriptor = made.get();
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  const bool is_failed = connect(descriptor, address.get(), address.size) != 0;
  const int error = is_failed ? errno : 0;
  if (error != 0 && error != EINPROGRESS) {
    return NextAddress(fmt::format("dial tcp {}: connect: {}", address.text(), Why(error)));
  }
  socket_ = MakeKernelSocket(std::move(made));
  stage_ = Stage::kConnecting;
  const size_t left = addresses_.size() - next_address_;
  if (left > 0) {
    const std::chrono::nanoseconds time = exchange_.deadline - clock_.Monotonic();
    const auto part = std::max<std::chrono::nanoseconds>(time / (left + 1), kAddressTimeMin);
    patience_ = reactor_.RunAfter(part, [weak = weak_from_this()] {
      const auto self = weak.lock();
      if (self == nullptr || self->stage_ != Stage::kConnecting) return;
      const std::string tried = self->addresses_[self->next_address_ - 1].text();
      self->NextAddress(fmt::format("dial tcp {}: i/o timeout", tried));
    });
  }
  const int watched = reactor_.loop().Await(descriptor, *this);
  if (watched != 0) NextAddress(fmt::format("dial tcp: {}", Why(watched)));
}

void AsyncConnection::NextAddress(std::string why) {
  DropSocket();
  if (next_address_ < addresses_.size()) return Connect();
  Break(Unreachable(std::move(why)));
}

bool AsyncConnection::FinishConnecting() {
  const int error = ConnectError(socket_->descriptor());
  if (error == EINPROGRESS) return false;
  if (error != 0) {
    const std::string tried = addresses_[next_address_ - 1].text();
    NextAddress(fmt::format("dial tcp {}: connect: {}", tried, Why(error)));
    return stage_ != Stage::kConnecting;  // another address has an edge of its own
  }
  patience_ = Timer();
  transport_ = tls_ == nullptr
                   ? MakePlainTransport(*socket_)
                   : tls::MakeClientTransport(*tls_->state(), *socket_, host_, clock_.Now());
  if (transport_ == nullptr) {
    Break(Unreachable("tls: no memory, or no server name"));
    return false;
  }
  stage_ = Stage::kHandshake;
  return true;
}

bool AsyncConnection::ShakeHands() {
  switch (transport_->Handshake()) {
    case IoStatus::kDone: stage_ = Stage::kSending; return true;
    case IoStatus::kWantRead:
    case IoStatus::kWantWrite: return false;
    case IoStatus::kEnd: Break(Unreachable("EOF")); return false;
    case IoStatus::kBroken: break;
  }
  const std::string why = transport_->failure();
  const bool is_about_certificate = why.starts_with("x509: ");
  Break(Unreachable(is_about_certificate ? "tls: failed to verify certificate: " + why
                                         : "tls: " + why));
  return false;
}

// ----------------------------------------------------------------------------------- the exchange

bool AsyncConnection::Write() {
  const std::string_view rest = std::string_view(exchange_.text).substr(written_);
  if (rest.empty()) {
    stage_ = Stage::kReceiving;
    return true;
  }
  const IoResult result = transport_->Write(rest.substr(0, kBytesOfRead));
  switch (result.status) {
    case IoStatus::kDone: written_ += result.size; return true;
    case IoStatus::kWantRead:
    case IoStatus::kWantWrite: return false;
    case IoStatus::kEnd:
    case IoStatus::kBroken:
      // The server may have answered before it took everything, and closed: read that.
      stage_ = Stage::kReceiving;
      return true;
  }
  return false;
}

bool AsyncConnection::Read() {
  std::array<char, kBytesOfRead> space;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const IoResult result = transport_->Read(space);
  switch (result.status) {
    case IoStatus::kDone: return Take({space.data(), result.size});
    case IoStatus::kWantRead:
    case IoStatus::kWantWrite: return false;
    case IoStatus::kEnd:
      reader_.EndOfInput();
      if (reader_.phase() == http1::Reader::Phase::kDone) {
        Finish();
      } else {
        Break(Unreachable(received_ ? "unexpected EOF" : "EOF"));
      }
      return false;
    case IoStatus::kBroken: Break(Unreachable("read tcp: " + transport_->failure())); return false;
  }
  return false;
}

// False when the exchange is over.
bool AsyncConnection::Take(std::string_view bytes) {
  using Phase = http1::Reader::Phase;
  received_ = true;
  while (!bytes.empty()) {
    bytes.remove_prefix(reader_.Feed(bytes, body_));
    if (reader_.phase() == Phase::kFailed) {
      Break({.reason = StatusReason::kInternalError,
             .message = fmt::format("net/http: malformed answer: {}", reader_.failure())});
      return false;
    }
    const bool has_head = reader_.phase() == Phase::kBody || reader_.phase() == Phase::kDone;
    if (has_head && reader_.head().status < 200) {  // an interim one: the answer follows
      reader_.Reset();
      body_.clear();
      continue;
    }
    if (body_.size() > exchange_.response_bytes_max) {
      Break({.reason = StatusReason::kInternalError,
             .message =
                 fmt::format("the answer is larger than {} bytes", exchange_.response_bytes_max)});
      return false;
    }
    if (reader_.phase() != Phase::kDone) continue;
    if (!bytes.empty()) reader_.head().keep_alive = false;  // more than an answer
    Finish();
    return false;
  }
  return true;
}

void AsyncConnection::Finish() {
  http1::Head& head = reader_.head();
  ClientResponse response{
      .status = head.status, .headers = std::move(head.headers), .body = std::move(body_)};
  const bool is_complete = written_ == exchange_.text.size();
  Done done = std::move(exchange_.done);
  exchange_ = {};
  stage_ = Stage::kIdle;
  // What came with the end of the answer has no edge of its own.
  if (head.keep_alive && is_complete) {
    ReadWhileIdle();
  } else {
    Close();
  }
  done({.answer = std::move(response)});
}

void AsyncConnection::Break(Error error) {
  const bool is_unanswered = stage_ == Stage::kReceiving && !received_;
  stage_ = Stage::kClosed;
  Done done = std::move(exchange_.done);
  exchange_ = {};
  DropSocket();
  done({.answer = Fail(std::move(error)), .is_unanswered = is_unanswered});
}

// An idle server sends tickets of TLS sessions, which the transport takes, and the end.
bool AsyncConnection::ReadWhileIdle() {
  std::array<char, 1> space{};
  const IoResult result = transport_->Read(space);
  if (result.status == IoStatus::kWantRead || result.status == IoStatus::kWantWrite) return false;
  Ended ended = std::move(ended_);
  Close();
  if (ended != nullptr) ended();
  return false;
}

}  // namespace dray::net::client
