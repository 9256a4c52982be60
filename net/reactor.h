// SPDX-License-Identifier: Apache-2.0
// One event loop on one thread: posted functions, timers, and (inside net/) sockets. What belongs
// to a reactor is touched on its thread only, hence without locks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/world.h"
#include "net/poller.h"

namespace dray::net {

class Loop;  // net/loop.h

/// A pending RunAfter; destroying or cancelling it on the reactor's thread means that its function
/// will not run. Elsewhere it may still run. May outlive the reactor.
class Timer {
 public:
  using AlarmKey = std::pair<MonotonicTime, uint64_t>;  // as Loop's

  Timer() = default;
  Timer(std::weak_ptr<Loop> loop, AlarmKey key);
  ~Timer() { Cancel(); }
  Timer(Timer&& other) noexcept;
  Timer& operator=(Timer&& other) noexcept;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  void Cancel();

 private:
  std::weak_ptr<Loop> loop_;
  AlarmKey key_;
};

class Reactor {
 public:
  /// Waits for sockets with epoll(7). The clock outlives the reactor. Throws std::system_error when
  /// the kernel has no descriptors left.
  explicit Reactor(const Clock& clock);
  Reactor(const Clock& clock, std::unique_ptr<Poller> poller);
  ~Reactor() = default;
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  /// Runs the loop on the calling thread until Stop. Once only. A function that ends for want of
  /// memory ends alone.
  void Run();
  /// Ends Run after what runs now. Safe from any thread.
  void Stop();

  /// Runs `function` soon on the reactor's thread, in the order posted; never inside Post. Safe
  /// from any thread. The queue has no bound of its own: post one wake-up per batch of work, not
  /// one per item. What is still queued when the reactor is destroyed is dropped unrun.
  void Post(std::move_only_function<void()> function);

  /// Runs `function` once after at least `delay`. From the reactor's thread only (or before Run).
  [[nodiscard]] Timer RunAfter(std::chrono::nanoseconds delay, std::function<void()> function);

  bool in_thread() const;

  Loop& loop() { return *loop_; }
  std::weak_ptr<Loop> weak_loop() const { return loop_; }

 private:
  std::shared_ptr<Loop> loop_;
};

}  // namespace dray::net
