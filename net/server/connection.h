// SPDX-License-Identifier: Apache-2.0
// One connection of a server. Everything here runs on one reactor's thread.
//
// Pump() does all that can be done (read, feed the engine, write); then the connection waits for
// the next edge of its socket. An answer that comes later only asks for another Pump. Idle
// connections own no buffers: reading and writing go through the reactor's scratch space, which is
// used up before Pump returns.
//
// INV-9: while the loop waits, no connection can progress. CanProgress() says what that means: it
// is computed from the state alone, so no step needs to remember that another one is due.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/frozen.h"
#include "base/share_budget.h"
#include "net/engine.h"
#include "net/http.h"
#include "net/poller.h"
#include "net/server/exchange.h"
#include "net/server/reactor_context.h"
#include "net/server/socket_address.h"
#include "net/socket.h"
#include "net/transport.h"
#include "net/watched_socket.h"

namespace dray::net::server {

/// Read and write rounds before the other connections get their turn.
inline constexpr int kPumpRoundsMax = 16;
/// After the last answer a peer may still be sending: closing at once would reset the connection
/// and could destroy the answer. So input is dropped for a while (HttpServerOptions), or so many
/// bytes.
inline constexpr size_t kLingerBytesMax = size_t{16} << 20;

class Connection final : public ServerEngine::Events,
                         public ExchangeConnection,
                         private Waiter,
                         public std::enable_shared_from_this<Connection> {
 public:
  /// `arrival` is its number among the connections of its reactor.
  Connection(ReactorContext& context,
             std::unique_ptr<Socket> socket,
             const SocketAddress& peer,
             uint64_t arrival);

  void Begin();
  /// Pump soon, once, from the loop.
  void PumpSoon() override;
  /// Breaks everything off.
  void Close();
  /// All is written, and what the peer still sends is dropped until it has closed, too.
  bool is_lingering() const { return stage_ == Stage::kLinger; }
  void BreakOff(StreamId stream) override;
  /// Ends when the answers under way are out.
  void Shutdown();
  /// A tick has passed.
  void Tick();
  /// It is late: it ends, if it is idle with a word to the peer.
  void Expire();
  /// Its time limit has passed.
  bool is_late() const { return deadline_tick_ != 0 && context_.tick >= deadline_tick_; }

  ServerEngine& engine() override { return *engine_; }
  bool peer_ended() const override { return read_ended_; }
  bool is_ending() const override { return ending_; }
  void EndExchange(StreamId stream) override;
  void NotifyOfRoom(StreamId stream) override;

  HeadVerdict OnHead(Request& head) override;
  void OnRequest(StreamId stream, Request request) override;
  void OnClosed(StreamId stream) override;

  uint64_t arrival() const { return arrival_; }
  /// The owner of its share while its sender is a stranger.
  const Frozen<ShareOwner>& address() const { return address_; }
  /// The known sender; null: none yet, or an exempt one.
  const Frozen<ShareOwner>& owner() const { return owner_; }
  /// No request is under way and no input is kept, so it may be closed.
  bool is_idle() const;
  /// INV-9 is broken: something can be done, and no Pump is coming.
  bool has_forgotten_work() const { return !pump_posted_ && !pumping_ && CanProgress(); }

 private:
  enum class Stage : uint8_t { kSniff, kHandshake, kOpen, kLinger, kClosed };

  using Exchanges = std::vector<std::pair<StreamId, std::weak_ptr<Exchange>>>;

  void OnReady(Ready ready) override;
  void Pump();
  /// Whether a Step would do something that is wanted.
  bool CanProgress() const;
  bool CanRead() const;
  bool CanWrite() const;
  /// Whether the socket is ready for the call that last ended with `blocked`.
  bool IsReadyFor(IoStatus blocked) const;
  void Step();
  void Serve();
  void PumpAfterPosted();
  void Sniff();
  void Shake();
  void MakeEngine(bool is_http2);
  void ReadOnce();
  void ChooseEngine();
  void OnReadEnd();
  void WriteAll();
  void Linger();
  void BeginLinger();
  void RefusePlain();
  void UpdateDeadline();
  bool Account();
  bool Introduce(const Frozen<ShareOwner>& owner);
  void EndSoon();
  void NotifyExchangesOfRoom();
  Exchanges::iterator FindExchange(StreamId stream);

  ReactorContext& context_;
  WatchedSocket socket_;
  const SocketAddress peer_;
  const uint64_t arrival_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<ServerEngine> engine_;
  Frozen<Peer> described_peer_;
  Exchanges exchanges_;            // not complete yet, by stream
  std::vector<StreamId> waiting_;  // of them, those that wait for room

  Stage stage_ = Stage::kSniff;
  // What the next handshake or read, and the next write, need of the socket: TLS may have to write
  // before it can read, and the other way round.
  IoStatus read_needs_ = IoStatus::kWantRead;
  IoStatus write_needs_ = IoStatus::kWantWrite;
  bool engine_is_chosen_ = false;  // between HTTP/1.1 and HTTP/2
  std::string first_bytes_;        // of a plain connection, until that is decided
  bool read_ended_ = false;        // the peer sends no more
  bool ending_ = false;            // by Shutdown
  bool pumping_ = false;
  bool pump_posted_ = false;
  bool writes_first_ = false;  // the next turn writes before it reads
  bool known_ = false;         // one of its requests came from a known sender
  bool is_surplus_ = false;    // it has no place, and ends with the answer that says so
  const Frozen<ShareOwner> address_;
  Frozen<ShareOwner> owner_ = nullptr;  // the known sender; null: none yet, or exempt
  ShareBudget::Claim held_;   // a stranger's: all that it holds; else what no request claims
  ShareBudget::Claim place_;  // among the connections of known senders
  size_t lingered_bytes_ = 0;

  uint64_t deadline_tick_ = 0;  // 0: none
  EnginePhase timed_phase_ = EnginePhase::kIdle;
  StreamId timed_stream_ = 0;
  StreamId newest_stream_ = 0;
  bool stalled_ = false;     // the deadline is the stall's
  bool progressed_ = false;  // output moved since the last check of the deadline
};

}  // namespace dray::net::server
