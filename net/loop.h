// SPDX-License-Identifier: Apache-2.0
// The event loop of one Reactor: edges of descriptors, timers, and functions that other threads
// post. For the parts of net/ that wait for sockets.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/world.h"
#include "net/poller.h"

namespace dray::net {

/// Everything but Post and Stop belongs to the loop's thread (or to the time before Run). If a
/// callback throws bad_alloc, only its own work is dropped: the loop continues.
class Loop {
 public:
  /// The due time, and a number that makes the key unique in the loop.
  using AlarmKey = std::pair<MonotonicTime, uint64_t>;

  /// The clock outlives the loop.
  Loop(const Clock& clock, std::unique_ptr<Poller> poller);
  ~Loop() = default;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void Run();
  void Stop();
  void Post(std::move_only_function<void()> function);
  /// How many functions the loop's own thread has posted; on that thread.
  uint64_t posted_here() const { return posted_here_; }
  /// Runs `function` after the current callback, before the loop waits again.
  void RunNext(std::move_only_function<void()> function);
  /// Runs `function` when its turn comes. Between two of these functions the loop does all else
  /// that is due, so work that should not hold up others goes here. Any number may wait.
  void RunInLine(std::move_only_function<void()> function);

  /// Reports the edges of `descriptor` to `waiter` until Forget, the first one soon if it is ready
  /// already. Returns 0 or an errno.
  [[nodiscard]] int Await(int descriptor, Waiter& waiter);
  /// Call it before the descriptor is closed. `waiter` is not called again.
  void Forget(int descriptor, const Waiter& waiter);

  AlarmKey SetAlarm(std::chrono::nanoseconds delay, std::function<void()> function);
  /// Does nothing when the alarm has run, or on another thread: there the alarm still runs.
  void CancelAlarm(const AlarmKey& key);

  bool in_thread() const { return thread_.load() == std::this_thread::get_id(); }

 private:
  static constexpr size_t kEventsAtOnce = 128;

  void RunAll(std::vector<std::move_only_function<void()>>& functions);
  void RunDueAlarms();
  void RunNextFunctions();
  void RunFirstInLine();
  void RunPosted();
  void Dispatch();
  int WaitMilliseconds() const;

  const Clock& clock_;
  const std::unique_ptr<Poller> poller_;
  std::atomic<std::thread::id> thread_;
  std::atomic<bool> stopped_{false};

  /// Posted functions that have not started. The poster that finds this empty wakes the loop, so a
  /// batch costs one wake-up.
  Mutex posted_mutex_;
  std::vector<std::move_only_function<void()>> posted_ DRAY_GUARDED_BY(posted_mutex_);
  std::vector<std::move_only_function<void()>> running_;  // empty between batches
  uint64_t posted_here_ = 0;
  std::vector<std::move_only_function<void()>> next_;
  std::vector<std::move_only_function<void()>> running_next_;  // empty between batches
  std::deque<std::move_only_function<void()>> line_;

  using Alarms = std::map<AlarmKey, std::function<void()>>;
  /// Nodes of cancelled alarms, which most are, are reused for the next ones.
  static constexpr size_t kSpareAlarmsMax = 64;

  Alarms alarms_;
  std::vector<Alarms::node_type> spare_alarms_;
  uint64_t next_alarm_ = 1;
  MonotonicTime now_{};  // when due alarms were last run

  std::array<Poller::Event, kEventsAtOnce> events_{};
  size_t event_count_ = 0;  // of events_, while they are dispatched
};

}  // namespace dray::net
