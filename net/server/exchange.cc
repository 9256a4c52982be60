// SPDX-License-Identifier: Apache-2.0
#include "net/server/exchange.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "net/engine.h"
#include "net/http.h"
#include "net/loop.h"
#include "net/reactor.h"

namespace dray::net::server {

Exchange::Exchange(std::weak_ptr<ExchangeConnection> connection, Reactor& reactor, StreamId stream)
    : connection_(std::move(connection)),
      reactor_(reactor),
      loop_(reactor.weak_loop()),
      stream_(stream) {}

Exchange::~Exchange() {
  if (state_ == State::kComplete || state_ == State::kBroken) return;
  const std::shared_ptr<Loop> loop = loop_.lock();
  if (!loop) return;
  try {
    loop->Post([weak = connection_, stream = stream_] {
      const std::shared_ptr<ExchangeConnection> connection = weak.lock();
      if (connection) connection->BreakOff(stream);
    });
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): a destructor cannot tell
    // The client waits until its own limit.
  }
}

void Exchange::Respond(ResponseHead head, Body body) {
  const std::shared_ptr<ExchangeConnection> connection = connection_.lock();
  if (state_ != State::kWaiting || !connection) return;
  state_ = State::kComplete;
  connection->EndExchange(stream_);
  connection->engine().Respond(stream_, std::move(head), std::move(body));
  connection->PumpSoon();
}

void Exchange::Start(ResponseHead head) {
  const std::shared_ptr<ExchangeConnection> connection = connection_.lock();
  if (state_ != State::kWaiting || !connection) return;
  state_ = State::kStreaming;
  connection->engine().Start(stream_, std::move(head));
  connection->PumpSoon();
  if (connection->peer_ended()) Abort();
}

WriteOutcome Exchange::Write(Bytes piece) {
  const std::shared_ptr<ExchangeConnection> connection = connection_.lock();
  if (state_ != State::kStreaming || !connection) return WriteOutcome::kClosed;
  const ServerEngine& engine = connection->engine();
  const size_t queued = engine.queued_bytes(stream_);
  // The head alone, still queued, must not keep a large first piece out.
  const bool waits = has_written_ && queued > 0;
  if (waits && queued + piece.size() > engine.queue_bytes_max()) return WriteOutcome::kFull;
  has_written_ = true;
  connection->engine().Write(stream_, std::move(piece));
  connection->PumpSoon();
  return WriteOutcome::kQueued;
}

void Exchange::Finish() {
  const std::shared_ptr<ExchangeConnection> connection = connection_.lock();
  if (state_ != State::kStreaming || !connection) return;
  state_ = State::kComplete;
  connection->EndExchange(stream_);
  connection->engine().Finish(stream_);
  connection->PumpSoon();
}

void Exchange::Abort() {
  if (state_ == State::kComplete || state_ == State::kBroken) return;
  // Not at once: the caller may stand inside the connection's own work.
  reactor_.Post([weak = connection_, stream = stream_] {
    const std::shared_ptr<ExchangeConnection> connection = weak.lock();
    if (connection) connection->BreakOff(stream);
  });
}

void Exchange::MarkLongRunning() {
  const std::shared_ptr<ExchangeConnection> connection = connection_.lock();
  if (state_ == State::kWaiting && connection) connection->engine().MarkLongRunning(stream_);
}

size_t Exchange::queued_bytes() const {
  const std::shared_ptr<ExchangeConnection> connection = connection_.lock();
  const bool open = connection && state_ != State::kBroken;
  return open ? connection->engine().queued_bytes(stream_) : 0;
}

void Exchange::Break() {
  state_ = State::kBroken;
  on_writable_ = nullptr;
  on_shutdown_ = nullptr;
  if (on_close_) reactor_.Post(std::exchange(on_close_, nullptr));
}

void Exchange::OnClose(std::function<void()> callback) {
  if (state_ == State::kBroken) {
    reactor_.Post(std::move(callback));
  } else if (state_ != State::kComplete) {
    on_close_ = std::move(callback);
  }
}

void Exchange::OnWritable(std::function<void()> callback) {
  const std::shared_ptr<ExchangeConnection> connection = connection_.lock();
  if (state_ != State::kStreaming || !connection) return;
  on_writable_ = std::move(callback);
  const ServerEngine& engine = connection->engine();
  const bool is_reported = Drained(engine.queued_bytes(stream_), engine.queue_bytes_max());
  if (!is_reported) connection->NotifyOfRoom(stream_);
}

bool Exchange::Drained(size_t queued, size_t queued_max) {
  if (!on_writable_) return true;
  if (queued >= queued_max / 2) return false;
  reactor_.Post(std::exchange(on_writable_, nullptr));
  return true;
}

void Exchange::OnShutdown(std::function<void()> callback) {
  const std::shared_ptr<ExchangeConnection> connection = connection_.lock();
  if (state_ == State::kComplete || state_ == State::kBroken || !connection) return;
  on_shutdown_ = std::move(callback);
  if (connection->is_ending()) EndSoon();
}

void Exchange::EndSoon() {
  if (on_shutdown_) reactor_.Post(std::exchange(on_shutdown_, nullptr));
}

}  // namespace dray::net::server
