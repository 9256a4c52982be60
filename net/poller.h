// SPDX-License-Identifier: Apache-2.0
// Edge-triggered readiness of descriptors: the door through which a Loop learns of it. The kernel's
// is epoll(7); net/testing/simulated_network.h has a simulated one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace dray::net {

/// What a descriptor is ready for at an edge. The peer's end and errors count as both.
struct Ready {
  bool to_read = false;
  bool to_write = false;
};

/// Receives the edges of one descriptor.
class Waiter {
 public:
  /// The descriptor became ready. No second call follows for the same readiness: the waiter must
  /// try until the descriptor would block (EAGAIN); only a change after that is the next edge.
  virtual void OnReady(Ready ready) = 0;

 protected:
  ~Waiter() = default;
};

class Poller {
 public:
  struct Event {
    Waiter* waiter = nullptr;
    Ready ready = {};
  };
  struct Outcome {
    size_t count = 0;       // events written
    bool is_woken = false;  // WakeUp was called since the last Wait began
  };

  virtual ~Poller() = default;
  /// Reports the edges of `descriptor` to `waiter` until Forget; a descriptor that is ready already
  /// has an edge at once. Returns 0 or an errno.
  [[nodiscard]] virtual int Watch(int descriptor, Waiter& waiter) = 0;
  /// Call it before the descriptor is closed.
  virtual void Forget(int descriptor) = 0;
  /// Blocks until there is an edge, a wake-up, or `timeout_ms` have passed; -1 is no limit. Writes
  /// at most into.size() events; the rest come with the next call.
  virtual Outcome Wait(std::span<Event> into, int timeout_ms) = 0;
  /// Ends the current Wait, or the next one. Safe from any thread.
  virtual void WakeUp() = 0;
};

/// Throws std::system_error when the kernel has no descriptors left.
std::unique_ptr<Poller> MakeEpoll();

}  // namespace dray::net
