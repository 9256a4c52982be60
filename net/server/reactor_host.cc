// SPDX-License-Identifier: Apache-2.0
#include "net/server/reactor_host.h"

#include <algorithm>
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

#include "base/log.h"
#include "base/result.h"
#include "base/try.h"
#include "base/world.h"
#include "net/http.h"
#include "net/loop.h"
#include "net/poller.h"
#include "net/reactor.h"
#include "net/server/connection.h"
#include "net/server/network.h"
#include "net/server/options.h"
#include "net/server/socket_address.h"
#include "net/socket.h"

namespace dray::net::server {
namespace {

// Between checks of connections whose peers may have received the end by now.
constexpr std::chrono::milliseconds kLingerWhileDraining{20};

// Before what else there is to do gets its turn.
constexpr int kAcceptedAtOnce = 64;

// Limit of the connections of one owner that are searched for an idle one.
constexpr int kIdleLookedForMax = 64;

/// The largest crowd; among equally large ones, the one that has been so for longest.
template <class Crowds>
const auto& LargestOf(const Crowds& crowds) {
  const auto is_smaller = [](const auto& a, const auto& b) {
    if (a.second.size() != b.second.size()) return a.second.size() < b.second.size();
    if (a.second.empty()) return false;  // memory was short when it began
    return a.second.begin()->first > b.second.begin()->first;
  };
  return std::ranges::max_element(crowds, is_smaller)->second;
}

Network& NetworkOf(const HttpServerOptions& options) {
  return options.network != nullptr ? *options.network : KernelNetwork();
}

}  // namespace

ReactorHost::ReactorHost(const Clock& clock,
                         const Log& log,
                         const HttpServerOptions& options,
                         Handler& handler,
                         ServerLoad& load)
    : context_{.clock = clock,
               .log = log,
               .options = options,
               .handler = handler,
               .load = load,
               .reactor = {clock, NetworkOf(options).MakePoller()}} {
  context_.on_known = [this](const Connection& connection) { Introduce(connection); };
  context_.make_room = [this](const Connection& newcomer) { return MakeRoomAmongKnown(newcomer); };
  context_.on_closed = [this](const Connection& connection) { Forget(connection); };
}

Result<> ReactorHost::Listen(const SocketAddress& address) {
  DRAY_TRY(acceptor_,
           NetworkOf(context_.options)
               .Listen({.address = address,
                        .shares_port = context_.options.reactors > 1,
                        .send_buffer_bytes = context_.options.send_buffer_bytes}));
  return {};
}

Result<> ReactorHost::Begin() {
  RefreshDate();
  tick_timer_ = context_.reactor.RunAfter(context_.options.tick, [this] { Tick(); });
  const int error = context_.reactor.loop().Await(acceptor_->descriptor(), *this);
  if (error == 0) return {};
  return Fail(
      StatusReason::kServiceUnavailable,
      fmt::format("cannot wait for connections: {}", std::generic_category().message(error)));
}

void ReactorHost::OnReady(Ready /*ready*/) {
  Accept();
}

void ReactorHost::Accept() {
  accepts_again_ = true;  // if this function ends early, Tick calls it again
  for (int i = 0; i < kAcceptedAtOnce; ++i) {
    if (AcceptOne()) continue;
    accepts_again_ = false;
    return;
  }
  retry_timer_ = context_.reactor.RunAfter(std::chrono::nanoseconds(0), [this] { Accept(); });
}

/// False when no connection waits, or none can be accepted now.
bool ReactorHost::AcceptOne() {
  if (draining_) return false;
  Acceptor::Outcome outcome = acceptor_->Accept();
  switch (outcome.status) {
    case Acceptor::Status::kAccepted: Adopt(std::move(outcome.socket), outcome.peer); return true;
    case Acceptor::Status::kSkipped: return true;
    case Acceptor::Status::kNobody: return false;
    case Acceptor::Status::kFailed: break;
  }
  // Trying again at once would spin.
  context_.log.Warning(
      "cannot accept a connection", "error", std::generic_category().message(outcome.error));
  retry_timer_ = context_.reactor.RunAfter(context_.options.tick, [this] { Accept(); });
  return false;
}

void ReactorHost::Adopt(std::unique_ptr<Socket> socket, const SocketAddress& peer) {
  if (!MakeRoom()) return;  // closes the socket
  std::shared_ptr<Connection> connection;
  try {
    connection = std::make_shared<Connection>(context_, std::move(socket), peer, next_arrival_++);
    connections_.emplace(connection->arrival(), connection);
    strangers_[connection->address()->name].emplace(connection->arrival(), connection);
    ++strangers_count_;
    connection->Begin();
  } catch (const std::bad_alloc&) {
    // There is no memory for the connection. Drop it, and accept further ones.
    const bool is_ours = connection != nullptr && connections_.contains(connection->arrival());
    if (is_ours) {
      connection->Close();
    } else {
      context_.load.connections.fetch_sub(1);
    }
  }
}

/// Counts one more connection. Every new one is a stranger's until its first head: of the address
/// that has most of them the one that has been it for longest goes first, so holding many does not
/// keep others out.
bool ReactorHost::MakeRoom() {
  const HttpServerOptions& options = context_.options;
  const size_t share = std::max<size_t>(options.strangers_max() / options.reactors, 1);
  const bool is_full = context_.load.connections.fetch_add(1) >= options.connections_max;
  if (!is_full && strangers_count_ < share) return true;
  if (strangers_count_ > 0) {
    const std::shared_ptr<Connection> oldest = LargestOf(strangers_).begin()->second.lock();
    if (oldest != nullptr) oldest->Close();
    return true;
  }
  context_.load.connections.fetch_sub(1);
  return false;
}

/// Whether it was one of them.
bool ReactorHost::Leave(Crowds& crowds, const std::string& owner, const Connection& connection) {
  const auto own = crowds.find(owner);
  if (own == crowds.end() || own->second.erase(connection.arrival()) == 0) return false;
  if (own->second.empty()) crowds.erase(own);
  return true;
}

/// The connection moves from the strangers to its known sender.
void ReactorHost::Introduce(const Connection& connection) {
  if (Leave(strangers_, connection.address()->name, connection)) --strangers_count_;
  const auto held = connections_.find(connection.arrival());
  const bool is_counted = connection.owner() != nullptr && held != connections_.end() &&
                          connection.owner()->rank != ShareRank::kExempt;
  if (is_counted) known_[connection.owner()->name].emplace(connection.arrival(), held->second);
}

/// Closes one of the sender's own if its share is used up, else one of the owner with most.
bool ReactorHost::MakeRoomAmongKnown(const Connection& newcomer) {
  if (newcomer.owner() == nullptr || known_.empty()) return false;
  const std::string& name = newcomer.owner()->name;
  const ShareBudget& places = *context_.load.places;
  if (places.HeldBy(name) < places.limits().share) return EndOldestIdle(LargestOf(known_));
  const auto own = known_.find(name);
  return own != known_.end() && EndOldestIdle(own->second);
}

/// Whether one of them was closed at once.
bool ReactorHost::EndOldestIdle(const Crowd& crowd) {
  int looked_at = 0;
  for (const auto& [arrival, weak] : crowd) {
    if (++looked_at > kIdleLookedForMax) return false;
    const std::shared_ptr<Connection> connection = weak.lock();
    if (connection == nullptr || !connection->is_idle()) continue;
    connection->Expire();
    return !connections_.contains(connection->arrival());
  }
  return false;
}

void ReactorHost::Forget(const Connection& connection) {
  if (Leave(strangers_, connection.address()->name, connection)) --strangers_count_;
  if (connection.owner() != nullptr) Leave(known_, connection.owner()->name, connection);
  if (connections_.erase(connection.arrival()) == 0) return;
  context_.load.connections.fetch_sub(1);
  // Posted, so that the callbacks which closing has posted run before the loop ends.
  if (draining_ && connections_.empty()) context_.reactor.Post([this] { context_.reactor.Stop(); });
}

bool ReactorHost::has_forgotten_work() const {
  return std::ranges::any_of(connections_,
                             [](const auto& entry) { return entry.second->has_forgotten_work(); });
}

void ReactorHost::Tick() {
  ++context_.tick;
  RefreshDate();
  if (accepts_again_) Accept();
  std::vector<std::shared_ptr<Connection>> late;
  for (const auto& [key, connection] : connections_) {
    connection->Tick();
    if (connection->is_late()) late.push_back(connection);
  }
  for (const std::shared_ptr<Connection>& connection : late) connection->Expire();
  tick_timer_ = context_.reactor.RunAfter(context_.options.tick, [this] { Tick(); });
  context_.tracker->LogLongWaits(context_.log);  // last, so that ticks continue without memory
}

void ReactorHost::RefreshDate() {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(context_.clock.Now());
  const std::time_t unix_seconds = seconds.time_since_epoch().count();
  context_.date = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(unix_seconds));
}

void ReactorHost::Drain(std::chrono::milliseconds grace) {
  draining_ = true;
  context_.reactor.loop().Forget(acceptor_->descriptor(), *this);
  acceptor_->Close();
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
