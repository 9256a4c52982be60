// SPDX-License-Identifier: Apache-2.0
#include "net/server/connection.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/frozen.h"
#include "base/out_of_memory.h"
#include "net/engine.h"
#include "net/http.h"
#include "net/http1/engine.h"
#include "net/http2/engine.h"
#include "net/loop.h"
#include "net/poller.h"
#include "net/reactor.h"
#include "net/server/exchange.h"
#include "net/server/options.h"
#include "net/server/reactor_context.h"
#include "net/socket.h"
#include "net/tls/transport.h"
#include "net/transport.h"

namespace dray::net::server {
namespace {

constexpr char kTlsHandshakeRecord = 0x16;

// Bytes of an unfinished head that are not counted. Usual heads come in one piece.
constexpr size_t kFreeHeadBytes = size_t{16} << 10;

// A stranger shares with all of its network.
Frozen<ShareOwner> AddressOwner(const SocketAddress& peer) {
  return std::make_shared<const ShareOwner>(
      ShareOwner{.name = "address " + peer.network(), .rank = ShareRank::kUsual});
}

// As Go's server words it; clients and people recognise it.
constexpr std::string_view kPlainRefused =
    "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
    "\r\nClient sent an HTTP request to an HTTPS server.\n";

// Bytes of "PRI", which no method of HTTP/1.1 begins with.
constexpr size_t kPrefaceMethodBytes = 3;

/// Whether a plain connection that begins with `bytes` may be HTTP/2; three bytes decide.
bool MayBePreface(std::string_view bytes) {
  return http2::kPreface.starts_with(bytes.substr(0, http2::kPreface.size()));
}

}  // namespace

Connection::Connection(ReactorContext& context,
                       std::unique_ptr<Socket> socket,
                       const SocketAddress& peer,
                       uint64_t arrival)
    : context_(context),
      socket_(std::move(socket)),
      peer_(peer),
      arrival_(arrival),
      address_(AddressOwner(peer)),
      held_(context.load.strangers, address_) {}

void Connection::Begin() {
  deadline_tick_ = context_.TickAfter(context_.options.handshake_timeout);
  // A fresh socket can be written, so the first edge comes at once.
  const int error = context_.reactor.loop().Await(socket_.descriptor(), *this);
  if (error != 0) Close();
}

void Connection::OnReady(Ready ready) {
  socket_.OnEdge(ready);
  if (known_ && !pump_posted_) return Pump();
  PumpSoon();
}

/// Strangers stand in line: a handshake takes a good part of a millisecond, and many may begin at
/// once.
void Connection::PumpSoon() {
  if (pumping_ || pump_posted_ || stage_ == Stage::kClosed) return;
  auto pump = [self = shared_from_this()] {
    self->pump_posted_ = false;
    self->Pump();
  };
  if (known_) {
    context_.reactor.loop().RunNext(std::move(pump));
  } else {
    context_.reactor.loop().RunInLine(std::move(pump));
  }
  pump_posted_ = true;
}

/// Does everything that can be done now, in several turns if it is much.
void Connection::Pump() {
  if (pumping_ || stage_ == Stage::kClosed) return;
  const std::shared_ptr<Connection> alive = shared_from_this();
  pumping_ = true;
  try {
    for (int round = 0; round < kPumpRoundsMax && !pump_posted_ && CanProgress(); ++round) Step();
  } catch (const std::bad_alloc&) {
    Close();
  }
  pumping_ = false;
  if (stage_ != Stage::kClosed && !Account()) Close();
  if (stage_ == Stage::kClosed) return;
  UpdateDeadline();
  if (CanProgress()) PumpSoon();
}

bool Connection::IsReadyFor(IoStatus blocked) const {
  return blocked == IoStatus::kWantWrite ? socket_.may_write() : socket_.may_read();
}

bool Connection::CanRead() const {
  return !read_ended_ && IsReadyFor(read_needs_) && engine_->wants_read();
}

bool Connection::CanWrite() const {
  return IsReadyFor(write_needs_) && engine_->wants_write();
}

bool Connection::CanProgress() const {
  switch (stage_) {
    case Stage::kSniff:
    case Stage::kLinger: return socket_.may_read();
    case Stage::kHandshake: return IsReadyFor(read_needs_);
    case Stage::kOpen: return CanRead() || CanWrite() || engine_->wants_close();
    case Stage::kClosed: return false;
  }
  return false;
}

void Connection::Step() {
  switch (stage_) {
    case Stage::kSniff: return Sniff();
    case Stage::kHandshake: return Shake();
    case Stage::kOpen: return Serve();
    case Stage::kLinger: return Linger();
    case Stage::kClosed: return;
  }
}

void Connection::Serve() {
  if (!std::exchange(writes_first_, false) && CanRead()) {
    const uint64_t posted_before = context_.reactor.loop().posted_here();
    ReadOnce();
    if (context_.reactor.loop().posted_here() != posted_before) PumpAfterPosted();
    if (pump_posted_) return;
  }
  if (stage_ == Stage::kOpen) WriteAll();
  if (stage_ == Stage::kOpen && engine_->wants_close()) BeginLinger();
}

/// What a request posted to its own thread runs before its answer is written and the next request
/// is read. So a client that changes an object and watches it on one connection receives the event
/// together with the answer, and not together with the events of what it asks for next.
void Connection::PumpAfterPosted() {
  if (stage_ != Stage::kOpen || !known_) return;
  const auto post = [this] {
    context_.reactor.Post([self = shared_from_this()] {
      self->pump_posted_ = false;
      self->PumpSoon();  // after the turns of other connections that the posted functions ask for
    });
  };
  if (RanOutOfMemory(post)) return;  // the answer is written at once
  pump_posted_ = true;
  writes_first_ = true;
}

void Connection::Sniff() {
  std::array<char, 1> first{};
  const IoResult result = socket_.Peek(first);
  if (result.status == IoStatus::kWantRead) return;
  if (result.status != IoStatus::kDone) return Close();
  if (first[0] != kTlsHandshakeRecord) {
    if (!peer_.is_loopback()) return RefusePlain();
    transport_ = MakePlainTransport(socket_);
  } else if (context_.options.tls) {
    transport_ =
        tls::MakeServerTransport(*context_.options.tls->state(), socket_, context_.clock.Now());
  }
  if (!transport_) return Close();
  stage_ = Stage::kHandshake;
}

void Connection::RefusePlain() {
  transport_ = MakePlainTransport(socket_);
  // A fresh socket has room for the whole text; if it had none, the peer would only miss the
  // reason.
  transport_->Write(kPlainRefused);
  BeginLinger();
}

void Connection::Shake() {
  const IoStatus status = transport_->Handshake();
  switch (status) {
    case IoStatus::kDone: break;
    case IoStatus::kWantRead:
    case IoStatus::kWantWrite: read_needs_ = status; return;
    case IoStatus::kEnd: return Close();
    case IoStatus::kBroken:
      context_.log.Debug("handshake failed", "peer", peer_.text(), "why", transport_->failure());
      return Close();
  }
  Peer peer{
      .address = peer_.text(), .scheme = Scheme::kHttp, .certificate = {}, .certificate_error = {}};
  peer.owner = address_;
  transport_->DescribePeer(peer);
  described_peer_ = std::make_shared<const Peer>(std::move(peer));
  MakeEngine(transport_->protocol() == "h2");
  stage_ = Stage::kOpen;
  read_needs_ = IoStatus::kWantRead;
  deadline_tick_ = context_.TickAfter(context_.options.idle_timeout);
}

void Connection::MakeEngine(bool is_http2) {
  const HttpServerOptions& options = context_.options;
  EngineOptions engine{.body_bytes_max = options.body_bytes_max,
                       .peer = described_peer_,
                       .date = &context_.date,
                       .requests = context_.load.requests,
                       .tracker = context_.tracker};
  if (is_http2) {
    const http2::Limits limits{.streams_max = options.http2_streams_max,
                               .body_ticks = context_.TicksIn(options.body_timeout) + 1,
                               .stall_ticks = context_.TicksIn(options.stall_timeout) + 1};
    engine_ = std::make_unique<http2::Engine>(*this, std::move(engine), limits);
  } else {
    engine_ = std::make_unique<http1::Engine>(*this, std::move(engine));
  }
}

void Connection::ReadOnce() {
  const IoResult result = transport_->Read(context_.read_scratch);
  switch (result.status) {
    case IoStatus::kDone: read_needs_ = IoStatus::kWantRead; break;
    case IoStatus::kWantRead:
    case IoStatus::kWantWrite: read_needs_ = result.status; return;
    case IoStatus::kEnd: return OnReadEnd();
    case IoStatus::kBroken: return Close();
  }
  const std::string_view bytes(context_.read_scratch.data(), result.size);
  if (engine_is_chosen_) return engine_->Feed(bytes);
  first_bytes_.append(bytes);
  ChooseEngine();
}

/// A plain connection is taken for HTTP/1.1 until its first bytes are those of HTTP/2's preface.
void Connection::ChooseEngine() {
  const bool may_be_http2 = context_.options.plain_http2 &&
                            described_peer_->scheme == Scheme::kHttp && MayBePreface(first_bytes_);
  if (may_be_http2 && first_bytes_.size() < kPrefaceMethodBytes) return;
  engine_is_chosen_ = true;
  if (may_be_http2) MakeEngine(true);
  engine_->Feed(std::exchange(first_bytes_, {}));
}

void Connection::OnReadEnd() {
  read_ended_ = true;
  // A peer that stops sending while it receives a stream is taken to be gone; one
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

/// Writes until the socket is full or nothing is left. In between the engine continues with input
/// that it held back while an answer was under way.
void Connection::WriteAll() {
  while (IsReadyFor(write_needs_)) {
    engine_->Feed({});
    const size_t size = engine_->Peek(context_.write_scratch);
    if (size == 0) break;
    const IoResult result = transport_->Write({context_.write_scratch.data(), size});
    switch (result.status) {
      case IoStatus::kDone:
        write_needs_ = IoStatus::kWantWrite;
        engine_->Consume(result.size);
        progressed_ = true;
        break;
      case IoStatus::kWantRead:
      case IoStatus::kWantWrite:
        write_needs_ = result.status;
        engine_->OnSocketFull();
        break;
      case IoStatus::kEnd:
      case IoStatus::kBroken: return Close();
    }
  }
  NotifyExchangesOfRoom();
}

void Connection::NotifyExchangesOfRoom() {
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
  if (read_ended_) return Close();
  stage_ = Stage::kLinger;
  deadline_tick_ = context_.TickAfter(context_.options.linger_timeout);
}

void Connection::Linger() {
  const IoResult result = socket_.Read(context_.read_scratch);
  if (result.status == IoStatus::kWantRead) return;
  if (result.status != IoStatus::kDone) return Close();
  lingered_bytes_ += result.size;
  if (lingered_bytes_ > kLingerBytesMax) Close();
}

void Connection::UpdateDeadline() {
  if (stage_ != Stage::kOpen) return;  // set when the stage began
  const HttpServerOptions& options = context_.options;
  const bool progressed = std::exchange(progressed_, false);
  if (!socket_.may_write()) {
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

/// Notes what a peer makes the server hold that no request claims. False when that is too much.
bool Connection::Account() {
  if (!engine_) return true;
  if (!known_) return held_.Resize(engine_->held_bytes());
  const size_t bytes = engine_->unclaimed_bytes();
  return held_.Resize(bytes <= kFreeHeadBytes ? 0 : bytes);
}

bool Connection::is_idle() const {
  return stage_ == Stage::kOpen && !ending_ && !stalled_ && engine_->phase() == EnginePhase::kIdle;
}

void Connection::Shutdown() {
  if (stage_ == Stage::kLinger || stage_ == Stage::kClosed) return;
  if (!engine_) return Close();
  ending_ = true;
  for (const auto& [stream, weak] : exchanges_) {
    if (const std::shared_ptr<Exchange> exchange = weak.lock()) exchange->EndSoon();
  }
  const bool is_idle = engine_->phase() == EnginePhase::kIdle && socket_.may_write();
  engine_->Shutdown();
  if (is_idle && engine_->wants_close()) {
    Close();
  } else {
    PumpSoon();
  }
}

void Connection::Tick() {
  if (stage_ == Stage::kOpen) engine_->Tick();
  // Also makes up for a Pump that could not be scheduled because memory was short.
  if (CanProgress()) PumpSoon();
}

void Connection::Expire() {
  if (!is_idle()) return Close();
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
  // First, as this needs no memory: the peer sees the end whatever follows.
  context_.reactor.loop().Forget(socket_.descriptor(), *this);
  socket_.Close();
  for (const auto& [stream, weak] : std::exchange(exchanges_, {})) {
    const std::shared_ptr<Exchange> exchange = weak.lock();
    if (exchange) static_cast<void>(RanOutOfMemory([&] { exchange->Break(); }));
  }
  context_.on_closed(*this);
}

HeadVerdict Connection::OnHead(Request& head) {
  head.sender = context_.handler.SenderOf(head);
  if (!head.sender.is_known) return HeadVerdict::kStranger;
  if (!known_ && !Introduce(head.sender.owner)) return HeadVerdict::kNoRoom;
  return HeadVerdict::kTaken;
}

/// Called at the first request whose sender is known: the connection is the sender's from now on.
/// False when the sender's share of connections is used up; the connection then ends with the
/// answer that says so.
bool Connection::Introduce(const Frozen<ShareOwner>& owner) {
  known_ = true;
  owner_ = owner;
  held_ = ShareBudget::Claim(context_.load.requests, owner);
  ShareBudget::Claim place(context_.load.places, owner);
  const bool has_place = place.Resize(1) || (context_.make_room(*this) && place.Resize(1));
  context_.on_known(*this);
  place_ = std::move(place);
  is_surplus_ = !has_place;
  return has_place;
}

void Connection::OnRequest(StreamId stream, Request request) {
  newest_stream_ = stream;
  auto exchange = std::make_shared<Exchange>(weak_from_this(), context_.reactor, stream);
  exchanges_.emplace(FindExchange(stream), stream, exchange);
  context_.handler.Handle(std::move(request), std::move(exchange));
  if (std::exchange(is_surplus_, false)) EndSoon();
}

/// As Shutdown, when the engine has used up what came.
void Connection::EndSoon() {
  context_.reactor.loop().RunNext([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self != nullptr) self->Shutdown();
  });
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

void Connection::NotifyOfRoom(StreamId stream) {
  if (std::ranges::find(waiting_, stream) == waiting_.end()) waiting_.push_back(stream);
}

/// Where `stream` is, or would be. Most are young ones, near the end.
Connection::Exchanges::iterator Connection::FindExchange(StreamId stream) {
  return std::ranges::lower_bound(exchanges_, stream, {}, &Exchanges::value_type::first);
}

}  // namespace dray::net::server
