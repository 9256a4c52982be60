// SPDX-License-Identifier: Apache-2.0
// The event loop of one Reactor: descriptors, timers, and functions of other threads. For the parts
// of net/ that wait for sockets.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include <sys/epoll.h>

#include "base/descriptor.h"
#include "base/mutex.h"
#include "base/world.h"

namespace dray::net {

/// What belongs to a loop is touched on its thread (or before Run) only, but for Post and Stop. A
/// function that ends for want of memory ends alone.
class Loop {
 public:
  /// What a descriptor may have become ready for. An end or an error counts as everything.
  struct Ready {
    bool to_read = false;
    bool to_write = false;
    /// The peer has ended, or there is an error: after what there is to read, which is all.
    bool at_end = false;
  };

  /// Who waits for a descriptor.
  class Waiter {
   public:
    /// Changes are told once: whoever wants to be told of the next one goes on until the descriptor
    /// would block, or has given less than it was asked for, and there is no end.
    virtual void OnReady(Ready ready) = 0;

   protected:
    ~Waiter() = default;
  };
  /// When it is due, and its number among those of the loop.
  using AlarmKey = std::pair<MonotonicTime, uint64_t>;

  /// Throws std::system_error when the kernel has no descriptors left. The clock outlives it.
  explicit Loop(const Clock& clock);
  ~Loop() = default;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void Run();
  void Stop();
  void Post(std::move_only_function<void()> function);
  /// Runs `function` after what runs now, before the loop waits again.
  void RunNext(std::move_only_function<void()> function);

  /// Tells `waiter` about `descriptor` until Forget; first, soon, of what it is ready for already.
  /// Otherwise the error.
  [[nodiscard]] int Await(int descriptor, Waiter& waiter);
  /// Before the descriptor is closed. `waiter` hears nothing more.
  void Forget(int descriptor, const Waiter& waiter);

  AlarmKey SetAlarm(std::chrono::nanoseconds delay, std::function<void()> function);
  /// Nothing when it has run. On another thread nothing at all: it will run out.
  void CancelAlarm(const AlarmKey& key);

  bool in_thread() const { return thread_.load() == std::this_thread::get_id(); }

 private:
  static constexpr size_t kEventsAtOnce = 128;

  /// Runs what was posted.
  class Woken final : public Waiter {
   public:
    explicit Woken(Loop& loop) : loop_(loop) {}
    void OnReady(Ready ready) override;

   private:
    Loop& loop_;
  };

  void RunAll(std::vector<std::move_only_function<void()>>& functions);
  void RunDueAlarms();
  void RunWhatIsNext();
  void Dispatch();
  int WaitMilliseconds() const;
  void WakeUp();

  const Clock& clock_;
  const Descriptor epoll_;
  const Descriptor wake_up_;  // an eventfd; nobody reads it: each write is told once
  Woken woken_{*this};
  std::atomic<std::thread::id> thread_;
  std::atomic<bool> stopped_{false};

  /// What was posted and not begun; who finds it empty wakes the thread, so that a batch is one
  /// wake-up.
  Mutex posted_mutex_;
  std::vector<std::move_only_function<void()>> posted_ DRAY_GUARDED_BY(posted_mutex_);
  std::vector<std::move_only_function<void()>> running_;  // empty between batches
  std::vector<std::move_only_function<void()>> next_;
  std::vector<std::move_only_function<void()>> running_next_;  // empty between batches

  using Alarms = std::map<AlarmKey, std::function<void()>>;
  /// Of alarms that were called off, which most are: their memory is for the next ones.
  static constexpr size_t kSpareAlarmsMax = 64;

  Alarms alarms_;
  std::vector<Alarms::node_type> spare_alarms_;
  uint64_t next_alarm_ = 1;
  MonotonicTime now_{};  // when alarms were last looked at

  std::array<epoll_event, kEventsAtOnce> events_{};
  size_t event_count_ = 0;  // of them, those that were told, or are to be told now
};

}  // namespace dray::net
