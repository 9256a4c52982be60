// SPDX-License-Identifier: Apache-2.0
#include "net/server/reactor_host.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <memory>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/descriptor.h"
#include "base/log.h"
#include "base/result.h"
#include "base/world.h"
#include "net/http.h"
#include "net/loop.h"
#include "net/reactor.h"
#include "net/server/connection.h"
#include "net/server/options.h"
#include "net/server/socket_address.h"

namespace dray::net::server {
namespace {

// Between looks at connections whose peers may have been told of the end by now.
constexpr std::chrono::milliseconds kLingerWhileDraining{20};

// Before what else there is to do gets its turn.
constexpr int kAcceptedAtOnce = 64;

Failure CannotListen(const SocketAddress& address, int error) {
  return Fail(StatusReason::kServiceUnavailable,
              fmt::format("cannot listen on {} port {}: {}",
                          address.host(),
                          address.port(),
                          std::generic_category().message(error)));
}

bool SwitchOn(int descriptor, int option) {
  const int on = 1;
  return setsockopt(descriptor, SOL_SOCKET, option, &on, sizeof on) == 0;
}

/// Of one that waited to be accepted, and no more: the next one is not the worse for it
/// (accept(2)).
bool IsOfOneConnection(int error) {
  return error == ECONNABORTED || error == EINTR || error == EPROTO || error == EPERM ||
         error == ENETDOWN || error == ENETUNREACH || error == EHOSTDOWN || error == EHOSTUNREACH ||
         error == ENONET || error == ENOPROTOOPT || error == EOPNOTSUPP;
}

}  // namespace

ReactorHost::ReactorHost(const Clock& clock,
                         const Log& log,
                         const HttpServerOptions& options,
                         Handler& handler,
                         ServerLoad& load)
    : context_{.clock = clock, .log = log, .options = options, .handler = handler, .load = load} {
  context_.on_known = [this](const Connection& connection) {
    strangers_.erase(connection.arrival());
  };
  context_.on_closed = [this](const Connection& connection) { Forget(connection); };
}

Result<> ReactorHost::Listen(const SocketAddress& address) {
  listener_ =
      Descriptor(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  const int socket = listener_.get();
  const bool shares_port = context_.options.reactors > 1;
  const bool ok = listener_.is_open() && SwitchOn(socket, SO_REUSEADDR) &&
                  (!shares_port || SwitchOn(socket, SO_REUSEPORT)) &&
                  bind(socket, address.get(), address.size()) == 0 &&
                  listen(socket, SOMAXCONN) == 0;
  if (!ok) return CannotListen(address, errno);
  return {};
}

Result<> ReactorHost::Begin() {
  RefreshDate();
  tick_timer_ = context_.reactor.RunAfter(context_.options.tick, [this] { Tick(); });
  const int error = context_.reactor.loop().Await(listener_.get(), *this);
  if (error != 0) return CannotListen(SocketAddress::OfSocket(listener_.get()), error);
  return {};
}

void ReactorHost::OnReady(Loop::Ready /*ready*/) {
  Accept();
}

void ReactorHost::Accept() {
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    if (!AcceptOne()) return;
  }
  retry_timer_ = context_.reactor.RunAfter(std::chrono::nanoseconds(0), [this] { Accept(); });
}

/// False when there is nobody, or nobody can be accepted now.
bool ReactorHost::AcceptOne() {
  if (draining_) return false;
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how the kernel is called
  auto* const into = reinterpret_cast<sockaddr*>(&peer);
  Descriptor socket(accept4(listener_.get(), into, &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket.is_open()) {
    Adopt(std::move(socket), SocketAddress::Of(peer));
    return true;
  }
  const int error = errno;
  if (IsOfOneConnection(error)) return true;
  if (error == EAGAIN || error == EWOULDBLOCK) return false;
  // Out of descriptors or memory: trying again at once would spin.
  context_.log.Warning(
      "cannot accept a connection", "error", std::generic_category().message(error));
  retry_timer_ = context_.reactor.RunAfter(context_.options.tick, [this] { Accept(); });
  return false;
}

void ReactorHost::Adopt(Descriptor socket, const SocketAddress& peer) {
  if (!MakeRoom()) return;  // closes the socket
  std::shared_ptr<Connection> connection;
  try {
    connection = std::make_shared<Connection>(context_, std::move(socket), peer, next_arrival_++);
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
  context_.reactor.loop().Forget(listener_.get(), *this);
  listener_.Close();
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
