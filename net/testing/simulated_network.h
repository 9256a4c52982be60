// SPDX-License-Identifier: Apache-2.0
// For tests: a network in memory, on one thread, from a seed. Sockets have buffers of any size,
// bytes arrive in pieces and bursts, readiness is edge-triggered as epoll(7) has it, and everything
// outside the server may happen between any two calls that the server makes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/simulated_world.h"
#include "base/world.h"
#include "net/poller.h"
#include "net/server/network.h"
#include "net/server/socket_address.h"
#include "net/socket.h"

namespace dray::net::testing {

/// Bytes that are appended at one end and taken at the other.
class ByteQueue {
 public:
  void Append(std::string_view bytes) { bytes_.append(bytes); }
  std::string_view view() const { return std::string_view(bytes_).substr(taken_); }
  bool empty() const { return taken_ == bytes_.size(); }
  size_t size() const { return bytes_.size() - taken_; }
  void Take(size_t size) {
    taken_ += size;
    if (taken_ * 2 < bytes_.size()) return;  // so each byte moves once
    bytes_.erase(0, taken_);
    taken_ = 0;
  }

 private:
  std::string bytes_;
  size_t taken_ = 0;
};

/// Bytes on their way from one end to the other.
struct Pipe {
  size_t room = 0;        // of bytes sent and not read
  ByteQueue in_flight;    // sent, not arrived
  ByteQueue arrived;      // not read
  bool is_ended = false;  // the writer sends no more; the reader sees it when nothing is in flight
  bool is_reset = false;  // as far as the reader: what it has not read is lost
  bool was_full = false;  // the writer was refused, and waits for an edge

  size_t free() const { return room - std::min(room, in_flight.size() + arrived.size()); }
  bool has_end() const { return is_ended && in_flight.empty(); }
  bool is_readable() const { return !arrived.empty() || has_end() || is_reset; }
};

/// A connection: what each end reads.
struct Link {
  Pipe to_server, to_client;
  int server_descriptor = -1;
  uint64_t reluctance = 1;  // to deliver: the larger, the larger the bursts
  bool server_is_closed = false;
  bool client_is_closed = false;
};

class SimulatedNetwork final : public server::Network {
 public:
  /// Things that happen outside the server.
  struct World {
    /// Does one thing, chosen at random. False: nothing can happen until the server or time moves.
    std::function<bool()> act;
    /// The server is about to block, nothing has happened since it tried everything.
    std::function<void()> check_before_sleep;
    /// Nothing can happen any more but that time passes, which it does unless the loop is woken.
    std::function<void()> let_time_pass;
  };

  SimulatedNetwork(uint64_t seed, SimulatedClock& clock) : random_(seed), clock_(clock) {}
  void set_world(World world) { world_ = std::move(world); }

  std::unique_ptr<Poller> MakePoller() override;
  Result<std::unique_ptr<server::Acceptor>> Listen(const server::ListenOptions& options) override;

  /// A number below `bound`.
  uint64_t Below(uint64_t bound) { return random_.Next() % bound; }
  bool OneIn(uint64_t count) { return Below(count) == 0; }
  size_t OneOf(std::initializer_list<size_t> sizes) {
    return *(sizes.begin() + static_cast<ptrdiff_t>(Below(sizes.size())));
  }

  /// The two ends of a connection whose client is what is tested.
  struct Pair {
    std::unique_ptr<Socket> client, server;
    std::shared_ptr<Link> link;
  };
  Pair MakePair(size_t room_to_server, size_t room_to_client);

  /// The client's end of a new connection that waits to be accepted.
  std::unique_ptr<Socket> Connect(size_t room_to_server, size_t room_to_client);
  /// Bytes that are in flight arrive, some or all; on a link that gathers bursts, if it does not
  /// hesitate. False: nothing arrived.
  bool Deliver(bool hesitates);

  /// How often the end that is not tested has read, written or ended something.
  uint64_t outside_moves() const { return outside_moves_; }
  /// When a connection last could not be accepted for want of descriptors.
  MonotonicTime accept_failed() const { return accept_failed_; }
  /// What happened, newest last, when tracing.
  void set_tracing(bool tracing) { is_tracing_ = tracing; }
  bool is_tracing() const { return is_tracing_; }
  void Trace(std::string line);
  const std::deque<std::string>& trace() const { return trace_; }

 private:
  class End;
  class SimulatedPoller;
  class SimulatedAcceptor;
  struct Watch {
    Waiter* waiter = nullptr;
    bool has_edge = false;
  };

  std::shared_ptr<Link> NewLink(size_t room_to_server, size_t room_to_client);
  void Interleave(uint64_t most);
  bool DeliverOn(Link& link, Pipe& pipe);
  void Edge(int descriptor);
  Ready ReadinessOf(int descriptor) const;
  Poller::Outcome Wait(std::span<Poller::Event> into, int timeout_ms);
  size_t TakeEvents(std::span<Poller::Event> into);

  SeededRandom random_;
  SimulatedClock& clock_;
  World world_;
  std::vector<std::shared_ptr<Link>> links_;
  std::map<int, std::shared_ptr<Link>> by_descriptor_;
  std::map<int, Watch> watches_;
  std::deque<std::shared_ptr<Link>> waiting_;  // to be accepted
  int listener_ = -1;
  int next_descriptor_ = 1'000'000;  // never one of the kernel's
  bool is_woken_ = false;
  bool is_acting_ = false;  // no action inside another
  uint64_t turns_ = 0;
  uint64_t outside_moves_ = 0;
  MonotonicTime accept_failed_{};
  bool is_tracing_ = false;
  std::deque<std::string> trace_;
};

}  // namespace dray::net::testing
