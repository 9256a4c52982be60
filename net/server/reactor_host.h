// SPDX-License-Identifier: Apache-2.0
// One reactor's share of a server: it accepts connections, owns them, and ends those that are late.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>

#include "base/descriptor.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "net/http.h"
#include "net/loop.h"
#include "net/reactor.h"
#include "net/server/connection.h"
#include "net/server/options.h"
#include "net/server/reactor_context.h"
#include "net/server/socket_address.h"

namespace dray::net::server {

class ReactorHost final : private Loop::Waiter {
 public:
  /// Everything outlives the host. `load` is that of all hosts.
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

  Reactor& reactor() { return context_.reactor; }
  uint16_t port() const { return SocketAddress::OfSocket(listener_.get()).port(); }

 private:
  /// Somebody has come.
  void OnReady(Loop::Ready ready) override;
  void Accept();
  bool AcceptOne();
  void Adopt(Descriptor socket, const SocketAddress& peer);
  bool MakeRoom();
  void Forget(const Connection& connection);
  void Tick();
  void RefreshDate();
  void CloseAll();
  void CloseLingering();

  ReactorContext context_;
  Descriptor listener_;
  std::unordered_map<const Connection*, std::shared_ptr<Connection>> connections_;
  std::map<uint64_t, std::weak_ptr<Connection>> strangers_;  // by arrival
  uint64_t next_arrival_ = 1;
  Timer tick_timer_, retry_timer_, drain_timer_, linger_timer_;
  bool draining_ = false;
};

}  // namespace dray::net::server
