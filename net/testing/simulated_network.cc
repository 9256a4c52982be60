// SPDX-License-Identifier: Apache-2.0
#include "net/testing/simulated_network.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <openssl/err.h>

#include "base/check.h"
#include "base/result.h"
#include "net/poller.h"
#include "net/server/network.h"
#include "net/server/socket_address.h"
#include "net/socket.h"

namespace dray::net::testing {
namespace {

constexpr size_t kTraceLinesMax = 400;
// Limit of the turns of a whole run; a run that needs more spins.
constexpr uint64_t kTurnsMax = 2'000'000;

}  // namespace

/// One end of a link. The calls of an end that is tested are points where the outside may act.
class SimulatedNetwork::End final : public Socket {
 public:
  End(SimulatedNetwork& network, std::shared_ptr<Link> link, bool is_server, bool is_tested)
      : network_(network), link_(std::move(link)), is_server_(is_server), is_tested_(is_tested) {}
  ~End() override { End::Close(); }
  End(const End&) = delete;
  End& operator=(const End&) = delete;

  IoResult Read(std::span<char> into) override { return Receive(into, true); }
  IoResult Peek(std::span<char> into) override { return Receive(into, false); }

  IoResult Write(std::string_view bytes) override {
    Pause();
    Pipe& pipe = out();
    if (pipe.is_reset || pipe.is_ended) return {.status = IoStatus::kBroken, .error = EPIPE};
    const size_t size = std::min(bytes.size(), pipe.free());
    pipe.in_flight.Append(bytes.substr(0, size));
    if (size == 0) pipe.was_full = true;
    if (size > 0) CountMove();
    if (network_.is_tracing()) {
      network_.Trace(fmt::format("{}{} wrote {} of {}",
                                 is_server_ ? "" : "  peer of ",
                                 link_->server_descriptor,
                                 size,
                                 bytes.size()));
    }
    Pause();
    if (size == 0) return {.status = IoStatus::kWantWrite};
    return {.status = IoStatus::kDone, .size = size};
  }

  void EndWriting() override {
    Pause();
    out().is_ended = true;
    CountMove();
    if (!is_server_ && out().has_end()) network_.Edge(link_->server_descriptor);
  }

  void Close() override {
    if (std::exchange(is_closed_, true)) return;
    (is_server_ ? link_->server_is_closed : link_->client_is_closed) = true;
    const bool resets = !in().arrived.empty() || !in().in_flight.empty();
    in() = {.room = 0, .is_ended = true};
    in().is_reset = true;  // the other end cannot write any more
    out().is_ended = true;
    if (resets) {
      out().is_reset = true;
      out().in_flight = {};
    }
    if (!is_server_) network_.Edge(link_->server_descriptor);
  }

  int descriptor() const override { return is_server_ ? link_->server_descriptor : -1; }

 private:
  Pipe& in() { return is_server_ ? link_->to_server : link_->to_client; }
  Pipe& out() { return is_server_ ? link_->to_client : link_->to_server; }
  void CountMove() {
    if (!is_tested_) ++network_.outside_moves_;
  }
  void Pause() {
    if (is_tested_) network_.Interleave(2);
  }

  IoResult Receive(std::span<char> into, bool takes) {
    Pause();
    Pipe& pipe = in();
    if (pipe.is_reset) {
      network_.Trace(fmt::format("{} is reset", link_->server_descriptor));
      return {.status = IoStatus::kBroken, .error = ECONNRESET};
    }
    const size_t size = std::min(into.size(), pipe.arrived.size());
    pipe.arrived.view().copy(into.data(), size);
    const bool is_end = size == 0 && pipe.has_end();
    if (takes) Take(pipe, size);
    if (takes && size > 0) CountMove();
    if (network_.is_tracing()) {
      network_.Trace(fmt::format("{}{} read {} of {}{}",
                                 is_server_ ? "" : "  peer of ",
                                 link_->server_descriptor,
                                 size,
                                 into.size(),
                                 is_end ? ", the end" : ""));
    }
    Pause();
    if (is_end) return {.status = IoStatus::kEnd};
    if (size == 0) return {.status = IoStatus::kWantRead};
    return {.status = IoStatus::kDone, .size = size};
  }

  void Take(Pipe& pipe, size_t size) {
    pipe.arrived.Take(size);
    // As Linux does: a writer that was refused gets an edge when a third of the buffer is free.
    const bool has_room = pipe.free() * 3 >= pipe.room;
    if (pipe.was_full && has_room) {
      pipe.was_full = false;
      if (!is_server_) network_.Edge(link_->server_descriptor);
    }
  }

  SimulatedNetwork& network_;
  const std::shared_ptr<Link> link_;
  const bool is_server_;
  const bool is_tested_;
  bool is_closed_ = false;
};

class SimulatedNetwork::SimulatedPoller final : public Poller {
 public:
  explicit SimulatedPoller(SimulatedNetwork& network) : network_(network) {}
  int Watch(int descriptor, Waiter& waiter) override {
    network_.watches_[descriptor] = {.waiter = &waiter, .has_edge = true};
    return 0;
  }
  void Forget(int descriptor) override { network_.watches_.erase(descriptor); }
  Outcome Wait(std::span<Event> into, int timeout_ms) override {
    return network_.Wait(into, timeout_ms);
  }
  void WakeUp() override { network_.is_woken_ = true; }

 private:
  SimulatedNetwork& network_;
};

class SimulatedNetwork::SimulatedAcceptor final : public server::Acceptor {
 public:
  explicit SimulatedAcceptor(SimulatedNetwork& network) : network_(network) {}
  Outcome Accept() override {
    network_.Interleave(2);
    if (network_.waiting_.empty()) return {.status = Status::kNobody};
    if (network_.OneIn(40)) {
      network_.accept_failed_ = network_.clock_.Monotonic();
      return {.status = Status::kFailed, .error = EMFILE};
    }
    const std::shared_ptr<Link> link = std::move(network_.waiting_.front());
    network_.waiting_.pop_front();
    if (network_.OneIn(40)) {
      link->to_client.is_reset = link->to_server.is_reset = true;
      return {.status = Status::kSkipped};
    }
    link->server_descriptor = network_.next_descriptor_++;
    network_.by_descriptor_[link->server_descriptor] = link;
    return {.status = Status::kAccepted,
            .socket = std::make_unique<End>(network_, link, true, true),
            .peer = server::SocketAddress::Parse("127.0.0.1", 1000).value()};
  }
  server::SocketAddress address() const override {
    return server::SocketAddress::Parse("127.0.0.1", 1).value();
  }
  int descriptor() const override { return network_.listener_; }
  void Close() override {
    network_.listener_ = -1;
    for (const auto& link : network_.waiting_) {
      link->to_client.is_reset = link->to_server.is_reset = true;
    }
    network_.waiting_.clear();
  }

 private:
  SimulatedNetwork& network_;
};

std::unique_ptr<Poller> SimulatedNetwork::MakePoller() {
  return std::make_unique<SimulatedPoller>(*this);
}

Result<std::unique_ptr<server::Acceptor>> SimulatedNetwork::Listen(
    const server::ListenOptions& /*options*/) {
  listener_ = next_descriptor_++;
  return std::make_unique<SimulatedAcceptor>(*this);
}

std::shared_ptr<Link> SimulatedNetwork::NewLink(size_t room_to_server, size_t room_to_client) {
  auto link = std::make_shared<Link>();
  link->to_server.room = room_to_server;
  link->to_client.room = room_to_client;
  link->reluctance = OneIn(3) ? 1 : 1 + Below(60);
  return link;
}

std::unique_ptr<Socket> SimulatedNetwork::Connect(size_t room_to_server, size_t room_to_client) {
  std::shared_ptr<Link> link = NewLink(room_to_server, room_to_client);
  if (listener_ < 0) {
    link->to_client.is_reset = link->to_server.is_reset = true;
  } else {
    links_.push_back(link);
    waiting_.push_back(link);
    Edge(listener_);
  }
  return std::make_unique<End>(*this, link, false, false);
}

SimulatedNetwork::Pair SimulatedNetwork::MakePair(size_t room_to_server, size_t room_to_client) {
  std::shared_ptr<Link> link = NewLink(room_to_server, room_to_client);
  link->server_descriptor = next_descriptor_++;
  links_.push_back(link);
  return {.client = std::make_unique<End>(*this, link, false, true),
          .server = std::make_unique<End>(*this, link, true, false),
          .link = link};
}

bool SimulatedNetwork::Deliver(bool hesitates) {
  std::erase_if(links_,
                [](const auto& link) { return link->server_is_closed && link->client_is_closed; });
  if (links_.empty()) return false;
  const size_t first = Below(links_.size());
  for (size_t i = 0; i < links_.size(); ++i) {
    Link& link = *links_[(first + i) % links_.size()];
    if (hesitates && !OneIn(link.reluctance)) continue;
    const bool begins_with_server = OneIn(2);
    Pipe& one = begins_with_server ? link.to_server : link.to_client;
    Pipe& other = begins_with_server ? link.to_client : link.to_server;
    if (DeliverOn(link, one) || DeliverOn(link, other)) return true;
  }
  return false;
}

bool SimulatedNetwork::DeliverOn(Link& link, Pipe& pipe) {
  if (pipe.in_flight.empty() || pipe.is_reset) return false;
  const size_t size = OneIn(3) ? pipe.in_flight.size() : 1 + Below(pipe.in_flight.size());
  pipe.arrived.Append(pipe.in_flight.view().substr(0, size));
  pipe.in_flight.Take(size);
  if (&pipe == &link.to_server) {
    if (is_tracing_) Trace(fmt::format("{} bytes arrive at {}", size, link.server_descriptor));
    Edge(link.server_descriptor);
  }
  return true;
}

void SimulatedNetwork::Edge(int descriptor) {
  const auto found = watches_.find(descriptor);
  if (found != watches_.end()) found->second.has_edge = true;
}

Ready SimulatedNetwork::ReadinessOf(int descriptor) const {
  if (descriptor == listener_) return {.to_read = !waiting_.empty(), .to_write = false};
  const auto found = by_descriptor_.find(descriptor);
  DRAY_CHECK(found != by_descriptor_.end());
  const Link& link = *found->second;
  const bool is_broken = link.to_client.is_reset || link.to_server.is_reset;
  const bool has_room = link.to_client.free() * 3 >= link.to_client.room;
  return {.to_read = link.to_server.is_readable() || is_broken, .to_write = has_room || is_broken};
}

/// Lets the outside act up to `most` times.
void SimulatedNetwork::Interleave(uint64_t most) {
  if (is_acting_) return;
  is_acting_ = true;
  for (uint64_t count = Below(most + 1); count > 0; --count) world_.act();
  ERR_clear_error();  // the thread's: the server may stand in a call of OpenSSL, too
  is_acting_ = false;
}

size_t SimulatedNetwork::TakeEvents(std::span<Poller::Event> into) {
  std::vector<int> ready;
  for (const auto& [descriptor, watch] : watches_) {
    if (watch.has_edge) ready.push_back(descriptor);
  }
  for (size_t i = ready.size(); i > 1; --i) std::swap(ready[i - 1], ready[Below(i)]);
  // The kernel may give fewer than there are; the others keep their edge.
  const size_t most = OneIn(4) ? 1 : into.size();
  size_t count = 0;
  for (const int descriptor : ready) {
    if (count == most) break;
    Watch& watch = watches_[descriptor];
    watch.has_edge = false;
    const Ready now = ReadinessOf(descriptor);
    if (!now.to_read && !now.to_write) continue;
    into[count++] = {.waiter = watch.waiter, .ready = now};
  }
  return count;
}

Poller::Outcome SimulatedNetwork::Wait(std::span<Poller::Event> into, int timeout_ms) {
  DRAY_CHECK(++turns_ < kTurnsMax);
  // Between two turns of a loop that is busy with one connection much may happen.
  Interleave(timeout_ms == 0 && OneIn(3) ? 60 : 2);
  while (true) {
    const bool is_woken = std::exchange(is_woken_, false);
    const size_t count = TakeEvents(into);
    if (count > 0 || is_woken || timeout_ms == 0) return {.count = count, .is_woken = is_woken};
    world_.check_before_sleep();
    is_acting_ = true;
    const bool has_acted = world_.act();
    is_acting_ = false;
    if (has_acted || is_woken_) continue;
    world_.let_time_pass();
    if (is_woken_) continue;
    DRAY_CHECK(timeout_ms > 0);  // else the loop would wait for ever
    clock_.Advance(std::chrono::milliseconds(timeout_ms));
    return {};
  }
}

void SimulatedNetwork::Trace(std::string line) {
  trace_.push_back(std::move(line));
  if (trace_.size() > kTraceLinesMax) trace_.pop_front();
}

}  // namespace dray::net::testing
