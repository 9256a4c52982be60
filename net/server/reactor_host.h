// SPDX-License-Identifier: Apache-2.0
// One reactor's share of a server: it accepts connections, owns them, and ends those that are late.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "net/http.h"
#include "net/poller.h"
#include "net/reactor.h"
#include "net/request_tracker.h"
#include "net/server/connection.h"
#include "net/server/network.h"
#include "net/server/options.h"
#include "net/server/reactor_context.h"
#include "net/server/socket_address.h"
#include "net/socket.h"

namespace dray::net::server {

class ReactorHost final : private Waiter {
 public:
  /// Everything outlives the host. `load` is that of all hosts. Throws std::system_error when there
  /// are no descriptors left.
  ReactorHost(const Clock& clock,
              const Log& log,
              const HttpServerOptions& options,
              Handler& handler,
              ServerLoad& load);

  /// Binds and listens; before Run. A port of 0 picks a free one.
  Result<> Listen(const SocketAddress& address);
  /// Begins accepting and ticking; before Run.
  Result<> Begin();
  /// Stops accepting; the loop ends once all connections are gone, after `grace` by force.
  void Drain(std::chrono::milliseconds grace);

  /// Safe from any thread.
  RequestWaits request_waits() const { return context_.tracker->waits(); }
  Reactor& reactor() { return context_.reactor; }
  /// After Listen.
  uint16_t port() const { return acceptor_->address().port(); }
  /// Whether a connection could read or write something that is wanted, and is not going to: a
  /// request that waits for that would wait for ever. Always false while the loop waits. Linear in
  /// the connections; the simulation asks it before each wait.
  bool has_forgotten_work() const;

 private:
  /// A connection waits to be accepted.
  void OnReady(Ready ready) override;
  void Accept();
  bool AcceptOne();
  void Adopt(std::unique_ptr<Socket> socket, const SocketAddress& peer);
  bool MakeRoom();
  bool MakeRoomAmongKnown(const Connection& newcomer);
  void Introduce(const Connection& connection);
  /// Connections of one owner, by arrival, and of all.
  using Crowd = std::map<uint64_t, std::weak_ptr<Connection>>;
  using Crowds = std::map<std::string, Crowd>;
  static bool Leave(Crowds& crowds, const std::string& owner, const Connection& connection);
  bool EndOldestIdle(const Crowd& crowd);
  void Forget(const Connection& connection);
  void Tick();
  void RefreshDate();
  void CloseAll();
  void CloseLingering();

  ReactorContext context_;
  std::unique_ptr<Acceptor> acceptor_;  // null before Listen
  bool accepts_again_ = false;          // more may wait to be accepted, without another edge
  std::map<uint64_t, std::shared_ptr<Connection>> connections_;  // by arrival
  Crowds strangers_, known_;  // by address; by name, without exempt ones
  size_t strangers_count_ = 0;
  uint64_t next_arrival_ = 1;
  Timer tick_timer_, retry_timer_, drain_timer_, linger_timer_;
  bool draining_ = false;
};

}  // namespace dray::net::server
