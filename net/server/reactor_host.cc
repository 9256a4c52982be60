// SPDX-License-Identifier: Apache-2.0
#include "net/server/reactor_host.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <boost/asio/detail/socket_option.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/system/error_code.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "net/http.h"
#include "net/loop.h"
#include "net/reactor.h"
#include "net/server/connection.h"
#include "net/server/options.h"

namespace dray::net::server {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using ReusePort = boost::asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

// Between looks at connections whose peers may have been told of the end by now.
constexpr std::chrono::milliseconds kLingerWhileDraining{20};

Failure CannotListen(const tcp::endpoint& endpoint, const error_code& error) {
  return Fail(StatusReason::kServiceUnavailable,
              fmt::format("cannot listen on {} port {}: {}",
                          endpoint.address().to_string(),
                          endpoint.port(),
                          error.message()));
}

}  // namespace

ReactorHost::ReactorHost(const Clock& clock,
                         const Log& log,
                         const HttpServerOptions& options,
                         Handler& handler,
                         ServerLoad& load)
    : context_{.clock = clock, .log = log, .options = options, .handler = handler, .load = load},
      acceptor_(context_.reactor.loop().context) {
  context_.on_known = [this](const Connection& connection) {
    strangers_.erase(connection.arrival());
  };
  context_.on_closed = [this](const Connection& connection) { Forget(connection); };
}

Result<> ReactorHost::Listen(const tcp::endpoint& endpoint) {
  error_code error;
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && context_.options.reactors > 1) acceptor_.set_option(ReusePort(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
  if (error) return CannotListen(endpoint, error);
  return {};
}

void ReactorHost::Begin() {
  RefreshDate();
  tick_timer_ = context_.reactor.RunAfter(context_.options.tick, [this] { Tick(); });
  Accept();
}

void ReactorHost::Accept() {
  acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
    if (error == boost::asio::error::operation_aborted || draining_) return;
    if (!error) {
      Adopt(std::move(socket));
      Accept();
      return;
    }
    if (error == boost::asio::error::connection_aborted) {
      Accept();
      return;
    }
    // Out of descriptors or memory: trying again at once would spin.
    context_.log.Warning("cannot accept a connection", "error", error.message());
    retry_timer_ = context_.reactor.RunAfter(context_.options.tick, [this] { Accept(); });
  });
}

void ReactorHost::Adopt(tcp::socket socket) {
  if (!MakeRoom()) return;  // closes the socket
  std::shared_ptr<Connection> connection;
  try {
    connection = std::make_shared<Connection>(context_, std::move(socket), next_arrival_++);
    connections_.emplace(connection.get(), connection);
    strangers_.emplace(connection->arrival(), connection);
    connection->Begin();
  } catch (const std::bad_alloc&) {
    // There is no memory for it: it goes, and accepting goes on.
    const bool is_ours = connection != nullptr && connections_.contains(connection.get());
    if (is_ours) {
      connection->Close();
    } else {
      context_.load.connections.fetch_sub(1);
    }
  }
}

/// Counts one more connection. Every new one is a stranger's until its first head: those that
/// have been it for longest go first, so holding many does not keep others out.
bool ReactorHost::MakeRoom() {
  const HttpServerOptions& options = context_.options;
  const size_t share = std::max<size_t>(options.strangers_max() / options.reactors, 1);
  const bool is_full = context_.load.connections.fetch_add(1) >= options.connections_max;
  if (!is_full && strangers_.size() < share) return true;
  if (!strangers_.empty()) {
    const std::shared_ptr<Connection> oldest = strangers_.begin()->second.lock();
    if (oldest != nullptr) oldest->Close();
    return true;
  }
  context_.load.connections.fetch_sub(1);
  return false;
}

void ReactorHost::Forget(const Connection& connection) {
  strangers_.erase(connection.arrival());
  if (connections_.erase(&connection) == 0) return;
  context_.load.connections.fetch_sub(1);
  // Posted, so that the callbacks which closing has posted run before the loop ends.
  if (draining_ && connections_.empty()) context_.reactor.Post([this] { context_.reactor.Stop(); });
}

void ReactorHost::Tick() {
  ++context_.tick;
  RefreshDate();
  std::vector<std::shared_ptr<Connection>> late;
  for (const auto& [key, connection] : connections_) {
    connection->Tick();
    if (connection->is_late()) late.push_back(connection);
  }
  for (const std::shared_ptr<Connection>& connection : late) connection->Expire();
  tick_timer_ = context_.reactor.RunAfter(context_.options.tick, [this] { Tick(); });
}

void ReactorHost::RefreshDate() {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(context_.clock.Now());
  const std::time_t unix_seconds = seconds.time_since_epoch().count();
  context_.date = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(unix_seconds));
}

void ReactorHost::Drain(std::chrono::milliseconds grace) {
  draining_ = true;
  error_code ignored;
  acceptor_.close(ignored);
  std::vector<std::shared_ptr<Connection>> open;
  open.reserve(connections_.size());
  for (const auto& [key, connection] : connections_) open.push_back(connection);
  for (const std::shared_ptr<Connection>& connection : open) connection->Shutdown();
  if (connections_.empty()) {
    context_.reactor.Post([this] { context_.reactor.Stop(); });
  } else if (grace.count() <= 0) {
    CloseAll();
  } else {
    drain_timer_ = context_.reactor.RunAfter(grace, [this] { CloseAll(); });
    CloseLingering();
  }
}

/// Peers that keep connections for later do not notice that theirs has ended: they are not waited
/// for.
void ReactorHost::CloseLingering() {
  std::vector<std::shared_ptr<Connection>> lingering;
  for (const auto& [key, connection] : connections_) {
    if (connection->is_lingering()) lingering.push_back(connection);
  }
  for (const std::shared_ptr<Connection>& connection : lingering) connection->Close();
  linger_timer_ = context_.reactor.RunAfter(kLingerWhileDraining, [this] { CloseLingering(); });
}

void ReactorHost::CloseAll() {
  std::vector<std::shared_ptr<Connection>> open;
  open.reserve(connections_.size());
  for (const auto& [key, connection] : connections_) open.push_back(connection);
  for (const std::shared_ptr<Connection>& connection : open) connection->Close();
}

}  // namespace dray::net::server
