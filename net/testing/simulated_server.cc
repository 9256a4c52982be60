// SPDX-License-Identifier: Apache-2.0
#include "net/testing/simulated_server.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/simulated_world.h"
#include "base/world.h"
#include "net/reactor.h"
#include "net/server/options.h"
#include "net/server/reactor_host.h"
#include "net/server/socket_address.h"
#include "net/testing/simulated_keys.h"
#include "net/testing/simulated_network.h"
#include "net/testing/simulated_peer.h"

namespace dray::net::testing {
namespace {

constexpr std::chrono::minutes kSimulatedPatience{20};

}  // namespace

SimulatedServer::SimulatedServer(uint64_t seed, bool is_tracing)
    : network_(seed, clock_),
      keys_(SeedKeys(seed)),
      options_{.tls = keys_.server, .network = &network_},
      load_(options_) {
  network_.set_tracing(is_tracing);
}

void SimulatedServer::AddPeer(const SimulatedPeer::Habits& habits) {
  peers_.push_back(std::make_unique<SimulatedPeer>(
      network_,
      habits,
      SimulatedPeer::Contexts{.http1 = keys_.client->state(), .http2 = keys_.http2_client->state()},
      mixed_clock_.Now(),
      static_cast<int>(peers_.size())));
}

std::string SimulatedServer::Run(const Surroundings& surroundings) {
  surroundings_ = &surroundings;
  network_.set_world({.act = [this] { return Act(); },
                      .check_before_sleep = [this] { CheckBeforeSleep(); },
                      .let_time_pass = [this] { LetTimePass(); }});
  {
    server::ReactorHost host(mixed_clock_, log_, options_, surroundings.handler, load_);
    host_ = &host;
    const auto address = server::SocketAddress::Parse("127.0.0.1", 0).value();
    if (!host.Listen(address).has_value() || !host.Begin().has_value()) return "no listener";
    host.reactor().Run();
    host_ = nullptr;
    while (surroundings.act()) {  // the reactor outlives what other threads have for it
    }
  }
  while (wrong_.empty() && Act()) {  // the peers see the end
  }
  for (const auto& peer : peers_) {
    if (peer->is_owed()) Complain("stands still after the end: " + peer->state());
  }
  if (load_.connections.load() != 0) Complain("a connection is still counted");
  return wrong_;
}

void SimulatedServer::Complain(std::string what) {
  if (wrong_.empty()) wrong_ = std::move(what);
  if (host_ != nullptr) host_->reactor().Stop();
}

bool SimulatedServer::Act() {
  if (surroundings_->drains && host_ != nullptr && network_.OneIn(3000)) Drain();
  if (jolts_ > 0 && network_.OneIn(500)) {
    --jolts_;
    clock_.Advance(std::chrono::milliseconds(100));
  }
  const size_t actors = peers_.size() + 2;
  const size_t first = network_.Below(actors);
  for (const bool hesitates : {true, false}) {
    for (size_t i = 0; i < actors; ++i) {
      if (!ActAs((first + i) % actors, hesitates)) continue;
      JudgePeers();
      return true;
    }
  }
  return false;
}

bool SimulatedServer::ActAs(size_t actor, bool hesitates) {
  if (actor == 0) return network_.Deliver(hesitates);
  if (actor == 1) return host_ != nullptr && surroundings_->act();
  return peers_[actor - 2]->Step(hesitates);
}

void SimulatedServer::JudgePeers() {
  for (const auto& peer : peers_) {
    if (!peer->mistake().empty()) Complain(peer->mistake() + ": " + peer->state());
    const bool may_be_cut_off = surroundings_->aborts || is_draining_;
    if (peer->was_cut_off() && !may_be_cut_off) Complain("cut off: " + peer->state());
  }
}

void SimulatedServer::CheckBeforeSleep() {
  if (host_->has_forgotten_work()) {
    Complain("forgotten: a connection can progress, and nothing will make it");
  }
}

/// Nothing can happen any more but that time passes.
void SimulatedServer::LetTimePass() {
  std::string owed, open;
  for (const auto& peer : peers_) {
    if (peer->is_owed()) owed += "; " + peer->state();
    if (!peer->is_gone()) open += "; " + peer->state();
  }
  // A server that had no descriptor for a connection tries again with its next tick.
  const bool retries = clock_.Monotonic() - network_.accept_failed() < 2 * options_.tick;
  if (!owed.empty() && !retries) Complain("stands still" + owed);
  const std::string other = surroundings_->judge ? surroundings_->judge() : "";
  if (!other.empty()) Complain(other + open);
  const bool is_over = load_.connections.load() == 0;
  if (clock_.Monotonic() - began_ > kSimulatedPatience) {
    Complain("does not end" + (is_over ? std::string("; no connection is left") : open));
  }
  if (is_over && wrong_.empty()) Drain();
}

void SimulatedServer::Drain() {
  if (std::exchange(is_draining_, true)) return;
  host_->reactor().Post([this] { host_->Drain(std::chrono::seconds(30)); });
}

std::string SimulatedServer::trace() const {
  std::string text;
  for (const std::string& line : network_.trace()) text += "  " + line + "\n";
  return text;
}

}  // namespace dray::net::testing
