// SPDX-License-Identifier: Apache-2.0
#include "net/server/connection.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/published.h"
#include "net/engine.h"
#include "net/http.h"
#include "net/http1/engine.h"
#include "net/http2/engine.h"
#include "net/loop.h"
#include "net/reactor.h"
#include "net/server/exchange.h"
#include "net/server/options.h"
#include "net/server/reactor_context.h"
#include "net/tls/transport.h"
#include "net/transport.h"

namespace dray::net::server {
namespace {

constexpr char kTlsHandshakeRecord = 0x16;

// As Go's server words it; clients and people recognise it.
constexpr std::string_view kPlainRefused =
    "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
    "\r\nClient sent an HTTP request to an HTTPS server.\n";

void SetOption(int descriptor, int level, int name, int value) {
  setsockopt(descriptor, level, name, &value, sizeof value);
}

/// Whether a plain connection's first bytes say that it is HTTP/2. They come at once from every
/// client there is; fewer than the three of "PRI" are left to HTTP/1.1.
bool IsPreface(std::string_view bytes) {
  constexpr size_t kMethodBytes = 3;
  return bytes.size() >= kMethodBytes &&
         http2::kPreface.starts_with(bytes.substr(0, http2::kPreface.size()));
}

}  // namespace

Connection::Connection(ReactorContext& context,
                       Descriptor socket,
                       const SocketAddress& peer,
                       uint64_t arrival)
    : context_(context),
      socket_(std::move(socket)),
      peer_(peer),
      arrival_(arrival),
      share_(context.load.strangers) {}

void Connection::Begin() {
  SetOption(socket_.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  SetOption(socket_.get(), SOL_SOCKET, SO_KEEPALIVE, 1);
  if (context_.options.send_buffer_bytes > 0) {
    SetOption(socket_.get(), SOL_SOCKET, SO_SNDBUF, context_.options.send_buffer_bytes);
  }
  deadline_tick_ = context_.TickAfter(context_.options.handshake_timeout);
  // It can be written already, so it hears soon of what it can do.
  const int error = context_.reactor.loop().Await(socket_.get(), *this);
  if (error != 0) Close();
}

void Connection::OnReady(Loop::Ready ready) {
  if (ready.to_read) read_ready_ = true;
  if (ready.to_write) write_ready_ = true;
  if (ready.at_end) end_told_ = true;
  Pump();
}

void Connection::PumpSoon() {
  if (pumping_ || pump_posted_ || stage_ == Stage::kClosed) return;
  context_.reactor.loop().RunNext([self = shared_from_this()] {
    self->pump_posted_ = false;
    self->Pump();
  });
  pump_posted_ = true;
}

void Connection::Pump() {
  if (pumping_ || stage_ == Stage::kClosed) return;
  const std::shared_ptr<Connection> alive = shared_from_this();
  pumping_ = true;
  int rounds = 0;
  bool more = true;
  try {
    while (more && stage_ != Stage::kClosed && rounds < kPumpRoundsMax) {
      more = Step();
      ++rounds;
    }
  } catch (const std::bad_alloc&) {
    Close();
  }
  pumping_ = false;
  if (stage_ != Stage::kClosed && !Account()) Close();
  if (stage_ == Stage::kClosed) return;
  UpdateDeadline();
  if (more) PumpSoon();
}

/// One round; false when nothing moved, so that only the descriptor can bring news.
bool Connection::Step() {
  switch (stage_) {
    case Stage::kSniff: return Sniff();
    case Stage::kHandshake: return Shake();
    case Stage::kOpen: {
      const bool has_read = ReadOnce();
      const bool has_written = stage_ == Stage::kOpen && WriteAll();
      return has_read || has_written;
    }
    case Stage::kLinger: return Linger();
    case Stage::kClosed: return false;
  }
  return false;
}

bool Connection::Sniff() {
  char first = 0;
  const ssize_t size = recv(socket_.get(), &first, 1, MSG_PEEK);
  if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    read_ready_ = false;
    return false;
  }
  if (size <= 0) {
    Close();
    return false;
  }
  if (first != kTlsHandshakeRecord) {
    if (!peer_.is_loopback()) {
      RefusePlain();
      return true;
    }
    transport_ = MakePlainTransport(socket_.get());
  } else if (context_.options.tls) {
    transport_ = tls::MakeServerTransport(
        *context_.options.tls->state(), socket_.get(), context_.clock.Now());
  }
  if (!transport_) {
    Close();
    return false;
  }
  stage_ = Stage::kHandshake;
  return true;
}

void Connection::RefusePlain() {
  transport_ = MakePlainTransport(socket_.get());
  transport_->Write(
      kPlainRefused);  // a fresh socket takes so little at once, or it does not matter
  BeginLinger();
}

bool Connection::Shake() {
  switch (transport_->Handshake()) {
    case IoStatus::kDone: break;
    case IoStatus::kWantRead: read_ready_ = false; return false;
    case IoStatus::kWantWrite: write_ready_ = false; return false;
    case IoStatus::kEnd: Close(); return false;
    case IoStatus::kBroken:
      context_.log.Debug("handshake failed", "peer", peer_.text(), "why", transport_->failure());
      Close();
      return false;
  }
  Peer peer{
      .address = peer_.text(), .scheme = Scheme::kHttp, .certificate = {}, .certificate_error = {}};
  transport_->DescribePeer(peer);
  described_peer_ = std::make_shared<const Peer>(std::move(peer));
  MakeEngine(transport_->protocol() == "h2");
  stage_ = Stage::kOpen;
  deadline_tick_ = context_.TickAfter(context_.options.idle_timeout);
  read_ready_ = true;
  return true;
}

void Connection::MakeEngine(bool is_http2) {
  const HttpServerOptions& options = context_.options;
  EngineOptions engine{.body_bytes_max = options.body_bytes_max,
                       .peer = described_peer_,
                       .date = &context_.date,
                       .bodies = context_.load.bodies};
  if (is_http2) {
    const http2::Limits limits{.streams_max = options.http2_streams_max,
                               .body_ticks = context_.TicksIn(options.body_timeout) + 1,
                               .stall_ticks = context_.TicksIn(options.stall_timeout) + 1};
    engine_ = std::make_unique<http2::Engine>(*this, std::move(engine), limits);
  } else {
    engine_ = std::make_unique<http1::Engine>(*this, std::move(engine));
  }
}

bool Connection::ReadOnce() {
  if (!read_ready_ || read_ended_ || !engine_->wants_read()) return false;
  const IoResult result = transport_->Read(context_.read_scratch);
  switch (result.status) {
    case IoStatus::kDone: break;
    case IoStatus::kWantRead: read_ready_ = false; return false;
    case IoStatus::kWantWrite: write_ready_ = false; return false;
    case IoStatus::kEnd: OnReadEnd(); return true;
    case IoStatus::kBroken: Close(); return false;
  }
  const std::string_view bytes(context_.read_scratch.data(), result.size);
  const bool may_be_http2 = !std::exchange(has_read_, true) && context_.options.plain_http2 &&
                            described_peer_->scheme == Scheme::kHttp;
  if (may_be_http2 && IsPreface(bytes)) MakeEngine(true);
  engine_->Feed(bytes);
  // What comes from now on is told of.
  if (result.drained && !end_told_) read_ready_ = false;
  return true;
}

void Connection::OnReadEnd() {
  read_ended_ = true;
  // A peer that stops sending while it receives a stream has gone, as far as anyone can tell; one
  // that awaits a plain answer may have closed its half only.
  const bool streaming = std::ranges::any_of(exchanges_, [](const auto& entry) {
    const std::shared_ptr<Exchange> exchange = entry.second.lock();
    return exchange && exchange->streaming();
  });
  if (streaming) {
    Close();
  } else {
    engine_->EndInput();
  }
}

/// Writes until the peer is slow or nothing is left. True when the engine may go on parsing.
bool Connection::WriteAll() {
  bool moved = false;
  while (write_ready_) {
    engine_->Feed({});
    const size_t size = engine_->Peek(context_.write_scratch);
    if (size == 0) break;
    const IoResult result = transport_->Write({context_.write_scratch.data(), size});
    if (result.status == IoStatus::kDone) {
      engine_->Consume(result.size);
      moved = true;
      progressed_ = true;
    } else if (result.status == IoStatus::kWantWrite) {
      write_ready_ = false;
    } else if (result.status == IoStatus::kWantRead) {
      read_ready_ = false;
      break;
    } else {
      Close();
      return false;
    }
  }
  TellExchangesOfRoom();
  if (engine_->wants_close()) {
    BeginLinger();
    return true;
  }
  return moved;
}

void Connection::TellExchangesOfRoom() {
  if (waiting_.empty()) return;
  const size_t queued_max = engine_->queue_bytes_max();
  std::erase_if(waiting_, [&](StreamId stream) {
    const auto found = FindExchange(stream);
    const std::shared_ptr<Exchange> exchange =
        found == exchanges_.end() || found->first != stream ? nullptr : found->second.lock();
    return !exchange || exchange->Drained(engine_->queued_bytes(stream), queued_max);
  });
}

void Connection::BeginLinger() {
  transport_->EndWriting();
  if (read_ended_) {
    Close();
    return;
  }
  stage_ = Stage::kLinger;
  read_ready_ = true;
  deadline_tick_ = context_.TickAfter(context_.options.linger_timeout);
}

bool Connection::Linger() {
  const ssize_t size =
      recv(socket_.get(), context_.read_scratch.data(), context_.read_scratch.size(), 0);
  if (size > 0) {
    lingered_bytes_ += static_cast<size_t>(size);
    if (lingered_bytes_ <= kLingerBytesMax) return true;
  } else if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    read_ready_ = false;
    return false;
  }
  Close();
  return false;
}

void Connection::UpdateDeadline() {
  if (stage_ != Stage::kOpen) return;  // set when the stage began
  const HttpServerOptions& options = context_.options;
  const bool progressed = std::exchange(progressed_, false);
  if (!write_ready_) {
    if (!stalled_ || progressed) deadline_tick_ = context_.TickAfter(options.stall_timeout);
    stalled_ = true;
    return;
  }
  const EnginePhase phase = engine_->phase();
  if (phase == timed_phase_ && newest_stream_ == timed_stream_ && !stalled_) return;
  stalled_ = false;
  timed_phase_ = phase;
  timed_stream_ = newest_stream_;
  switch (phase) {
    case EnginePhase::kIdle: deadline_tick_ = context_.TickAfter(options.idle_timeout); break;
    case EnginePhase::kHead: deadline_tick_ = context_.TickAfter(options.head_timeout); break;
    case EnginePhase::kBody: deadline_tick_ = context_.TickAfter(options.body_timeout); break;
    case EnginePhase::kBusy: deadline_tick_ = 0; break;
  }
}

/// Notes what a stranger makes the server hold. False when that is too much.
bool Connection::Account() {
  return known_ || !engine_ || share_.Resize(engine_->held_bytes());
}

void Connection::Shutdown() {
  if (stage_ == Stage::kLinger || stage_ == Stage::kClosed) return;
  if (!engine_) return Close();
  ending_ = true;
  for (const auto& [stream, weak] : exchanges_) {
    if (const std::shared_ptr<Exchange> exchange = weak.lock()) exchange->EndSoon();
  }
  const bool is_idle = engine_->phase() == EnginePhase::kIdle && write_ready_;
  engine_->Shutdown();
  if (is_idle && engine_->wants_close()) {
    Close();
  } else {
    PumpSoon();
  }
}

void Connection::Tick() {
  if (transport_ != nullptr) transport_->TakeOut();
  if (stage_ == Stage::kOpen && engine_->Tick()) PumpSoon();
}

void Connection::Expire() {
  const bool is_idle =
      stage_ == Stage::kOpen && !ending_ && engine_->phase() == EnginePhase::kIdle && !stalled_;
  if (!is_idle) return Close();
  deadline_tick_ = context_.TickAfter(context_.options.linger_timeout);
  Shutdown();
}

void Connection::BreakOff(StreamId stream) {
  if (stage_ == Stage::kClosed) return;
  if (!engine_->Reset(stream)) return Close();
  OnClosed(stream);
  PumpSoon();
}

void Connection::Close() {
  if (stage_ == Stage::kClosed) return;
  stage_ = Stage::kClosed;
  const std::shared_ptr<Connection> alive = shared_from_this();
  for (const auto& [stream, weak] : std::exchange(exchanges_, {})) {
    if (const std::shared_ptr<Exchange> exchange = weak.lock()) exchange->Break();
  }
  if (transport_ != nullptr) transport_->TakeOut();
  context_.reactor.loop().Forget(socket_.get(), *this);
  socket_.Close();
  context_.on_closed(*this);
}

bool Connection::OnHead(const Request& head, bool has_body) {
  transport_->set_leaves(has_body);  // as this one came, so will the next
  if (known_ && !has_body) return true;
  const bool is_known = context_.handler.Knows(head);
  if (is_known && !known_) {
    known_ = true;
    share_.Resize(0);
    context_.on_known(*this);
  }
  return is_known;
}

void Connection::OnRequest(StreamId stream, Request request) {
  newest_stream_ = stream;
  auto exchange = std::make_shared<Exchange>(weak_from_this(), context_.reactor, stream);
  exchanges_.emplace(FindExchange(stream), stream, exchange);
  context_.handler.Handle(std::move(request), std::move(exchange));
}

void Connection::OnClosed(StreamId stream) {
  const auto found = FindExchange(stream);
  if (found == exchanges_.end() || found->first != stream) return;
  const std::shared_ptr<Exchange> exchange = found->second.lock();
  exchanges_.erase(found);
  if (exchange) exchange->Break();
}

void Connection::EndExchange(StreamId stream) {
  const auto found = FindExchange(stream);
  if (found != exchanges_.end() && found->first == stream) exchanges_.erase(found);
}

void Connection::TellOfRoom(StreamId stream) {
  if (std::ranges::find(waiting_, stream) == waiting_.end()) waiting_.push_back(stream);
}

/// Where `stream` is, or would be. Most are young ones, near the end.
Connection::Exchanges::iterator Connection::FindExchange(StreamId stream) {
  return std::ranges::lower_bound(exchanges_, stream, {}, &Exchanges::value_type::first);
}

}  // namespace dray::net::server
