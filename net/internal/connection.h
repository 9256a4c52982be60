// SPDX-License-Identifier: Apache-2.0
// One connection of a server, and what it shares with the others of its reactor.
//
// Everything here runs on one reactor's thread. A connection does all it can in Pump() (read, feed
// the engine, write) and then waits for its descriptor; answers given from outside only ask for
// another Pump. Idle connections own no buffers: reading and writing go through the reactor's
// scratch space, which is used up before Pump returns.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "base/log.h"
#include "base/published.h"
#include "base/world.h"
#include "net/engine.h"
#include "net/http.h"
#include "net/http1_engine.h"
#include "net/http_server.h"
#include "net/internal/loop.h"
#include "net/internal/transport.h"
#include "net/reactor.h"

namespace dray::net::internal {

class Connection;

/// Bytes read at once, and bytes of one TLS record.
inline constexpr size_t kReadScratchBytes = size_t{64} << 10;
inline constexpr size_t kWriteScratchBytes = size_t{16} << 10;
/// Read and write rounds before the other connections get their turn.
inline constexpr int kPumpRoundsMax = 16;
/// After the last answer a peer may still be sending: closing at once would reset the connection
/// and could destroy the answer. So input is dropped for this long, or so many bytes.
inline constexpr std::chrono::milliseconds kLingerTimeout{1'000};
inline constexpr size_t kLingerBytesMax = size_t{16} << 20;

/// One reactor's share of a server.
class ReactorHost {
 public:
  ReactorHost(const Clock& clock,
              const Log& log,
              const HttpServerOptions& options,
              Handler& handler,
              std::atomic<size_t>& connections);

  /// Binds and listens; before Run. A port of 0 picks a free one.
  Result<> Listen(const boost::asio::ip::tcp::endpoint& endpoint);
  /// Begins accepting and ticking; before Run.
  void Begin();
  /// Stops accepting; the loop ends once all connections are gone, after `grace` by force.
  void Drain(std::chrono::milliseconds grace);
  void Forget(Connection& connection);

  /// The tick after which something due in `timeout` is late.
  uint64_t TickAfter(std::chrono::milliseconds timeout) const;

  Reactor reactor;
  const Clock& clock;
  const Log& log;
  const HttpServerOptions& options;
  Handler& handler;
  boost::asio::ip::tcp::acceptor acceptor;
  std::array<char, kReadScratchBytes> read_scratch;
  std::array<char, kWriteScratchBytes> write_scratch;
  std::string date;  // of the newest tick, for the Date field
  uint64_t tick = 1;

 private:
  void Accept();
  void Adopt(boost::asio::ip::tcp::socket socket);
  void Tick();
  void RefreshDate();
  void CloseAll();

  std::atomic<size_t>& connections_open_;
  std::unordered_map<const Connection*, std::shared_ptr<Connection>> connections_;
  Timer tick_timer_, retry_timer_, drain_timer_;
  bool draining_ = false;
};

/// The Responder of one request. Weak both ways: it outlives its connection or the other way round.
class Exchange final : public Responder, public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(std::weak_ptr<Connection> connection, ReactorHost& host, StreamId stream);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() override;

  void Respond(ResponseHead head, Bytes body) override;
  void Start(ResponseHead head) override;
  WriteOutcome Write(Bytes piece) override;
  void Finish() override;
  void Abort() override;
  size_t queued_bytes() const override;
  bool closed() const override { return state_ == State::kBroken; }
  void OnClose(std::function<void()> callback) override;
  void OnWritable(std::function<void()> callback) override;
  Reactor& reactor() override { return reactor_; }

  bool streaming() const { return state_ == State::kStreaming; }
  /// The connection is gone: posts OnClose's callback.
  void Break();
  /// Output was taken: posts OnWritable's callback if it is time.
  void Drained(size_t queued);

 private:
  enum class State : uint8_t { kWaiting, kStreaming, kComplete, kBroken };

  const std::weak_ptr<Connection> connection_;
  Reactor& reactor_;
  const std::weak_ptr<Loop> loop_;
  const StreamId stream_;
  State state_ = State::kWaiting;
  bool has_written_ = false;
  std::function<void()> on_close_, on_writable_;
};

class Connection final : public ServerEngine::Events,
                         public std::enable_shared_from_this<Connection> {
 public:
  Connection(ReactorHost& host, boost::asio::ip::tcp::socket socket);

  void Begin();
  /// Does everything that can be done now, then waits for the rest.
  void Pump();
  /// Pump soon, once, from the loop.
  void PumpSoon();
  /// Breaks everything off.
  void Close();
  /// Ends when the answers under way are out.
  void Shutdown();
  /// Its time limit has passed.
  bool is_late() const { return deadline_tick_ != 0 && host_.tick >= deadline_tick_; }

  ServerEngine* engine() { return engine_.get(); }
  bool peer_ended() const { return read_ended_; }
  void EndExchange(StreamId stream);

  void OnRequest(StreamId stream, Request request) override;

 private:
  enum class Stage : uint8_t { kSniff, kHandshake, kOpen, kLinger, kClosed };

  bool Step();
  bool Sniff();
  bool Shake();
  bool ReadOnce();
  void OnReadEnd();
  bool WriteAll();
  bool Linger();
  void BeginLinger();
  void RefusePlain();
  void Wait();
  void UpdateDeadline();
  int descriptor() { return socket_.native_handle(); }

  ReactorHost& host_;
  boost::asio::ip::tcp::socket socket_;
  const boost::asio::ip::tcp::endpoint peer_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Http1Engine> engine_;
  std::vector<std::pair<StreamId, std::weak_ptr<Exchange>>> exchanges_;  // not complete yet

  Stage stage_ = Stage::kSniff;
  bool read_ready_ = true;     // reading may give something
  bool write_ready_ = true;    // writing may move something
  bool waiting_read_ = false;  // a wait is under way
  bool waiting_write_ = false;
  bool read_ended_ = false;  // the peer sends no more
  bool pumping_ = false;
  bool pump_posted_ = false;
  size_t lingered_bytes_ = 0;

  uint64_t deadline_tick_ = 0;  // 0: none
  EnginePhase timed_phase_ = EnginePhase::kIdle;
  StreamId timed_stream_ = 0;
  StreamId newest_stream_ = 0;
  bool stalled_ = false;     // the deadline is the stall's
  bool progressed_ = false;  // output moved since the deadline was looked at
};

}  // namespace dray::net::internal
