// SPDX-License-Identifier: Apache-2.0
// The way to answer one request of a connection: the Responder that a handler gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "net/engine.h"
#include "net/http.h"
#include "net/loop.h"
#include "net/reactor.h"

namespace dray::net::server {

/// What an exchange asks of its connection; on the reactor's thread.
class ExchangeConnection {
 public:
  virtual ~ExchangeConnection() = default;
  virtual ServerEngine& engine() = 0;
  /// The peer sends no more.
  virtual bool peer_ended() const = 0;
  /// The server shuts down.
  virtual bool is_ending() const = 0;
  /// The answer of `stream` is complete: its exchange gets no more callbacks.
  virtual void EndExchange(StreamId stream) = 0;
  /// `stream` waits for room, and is notified when the peer has taken output.
  virtual void NotifyOfRoom(StreamId stream) = 0;
  /// There is output: write it soon.
  virtual void PumpSoon() = 0;
  /// Breaks the answer of `stream` off; with the connection, where there is no other way.
  virtual void BreakOff(StreamId stream) = 0;
};

/// The Responder of one request. Weak both ways: it outlives its connection or the other way round.
class Exchange final : public Responder, public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(std::weak_ptr<ExchangeConnection> connection, Reactor& reactor, StreamId stream);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() override;

  void Respond(ResponseHead head, Body body) override;
  void Start(ResponseHead head) override;
  WriteOutcome Write(Bytes piece) override;
  void Finish() override;
  void Abort() override;
  void MarkLongRunning() override;
  size_t queued_bytes() const override;
  bool closed() const override { return state_ == State::kBroken; }
  void OnClose(std::function<void()> callback) override;
  void OnWritable(std::function<void()> callback) override;
  void OnShutdown(std::function<void()> callback) override;
  Reactor& reactor() override { return reactor_; }

  bool streaming() const { return state_ == State::kStreaming; }
  /// The connection or the stream is gone: posts OnClose's callback.
  void Break();
  /// `queued` of at most `queued_max` bytes wait: posts OnWritable's callback if it is time. False:
  /// it is still waiting.
  bool Drained(size_t queued, size_t queued_max);
  /// The server begins to shut down: posts OnShutdown's callback.
  void EndSoon();

 private:
  enum class State : uint8_t { kWaiting, kStreaming, kComplete, kBroken };

  const std::weak_ptr<ExchangeConnection> connection_;
  Reactor& reactor_;
  const std::weak_ptr<Loop> loop_;
  const StreamId stream_;
  State state_ = State::kWaiting;
  bool has_written_ = false;
  std::function<void()> on_close_, on_writable_, on_shutdown_;
};

}  // namespace dray::net::server
