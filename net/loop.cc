// SPDX-License-Identifier: Apache-2.0
#include "net/loop.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/out_of_memory.h"
#include "base/world.h"
#include "net/poller.h"

namespace dray::net {

Loop::Loop(const Clock& clock, std::unique_ptr<Poller> poller)
    : clock_(clock), poller_(std::move(poller)) {
  spare_alarms_.reserve(kSpareAlarmsMax);  // so that cancelling needs no memory
}

void Loop::Run() {
  thread_.store(std::this_thread::get_id());
  while (!stopped_.load()) {
    RunFirstInLine();
    RunNextFunctions();
    RunDueAlarms();  // the timeout of the wait counts from the time that this reads
    if (stopped_.load()) return;
    const Poller::Outcome outcome = poller_->Wait(events_, WaitMilliseconds());
    event_count_ = outcome.count;
    if (outcome.is_woken) RunPosted();
    Dispatch();
  }
}

void Loop::Stop() {
  stopped_.store(true);
  poller_->WakeUp();
}

void Loop::Dispatch() {
  for (size_t i = 0; i < event_count_ && !stopped_.load(); ++i) {
    const Poller::Event event = events_[i];
    if (event.waiter == nullptr) continue;  // forgotten by an earlier callback of this turn
    static_cast<void>(RanOutOfMemory([&] { event.waiter->OnReady(event.ready); }));
  }
  event_count_ = 0;
}

int Loop::Await(int descriptor, Waiter& waiter) {
  return poller_->Watch(descriptor, waiter);
}

void Loop::Forget(int descriptor, const Waiter& waiter) {
  poller_->Forget(descriptor);
  for (size_t i = 0; i < event_count_; ++i) {
    if (events_[i].waiter == &waiter) events_[i].waiter = nullptr;
  }
}

void Loop::RunAll(std::vector<std::move_only_function<void()>>& functions) {
  for (std::move_only_function<void()>& function : functions) {
    if (stopped_.load()) break;
    static_cast<void>(RanOutOfMemory(function));
  }
  functions.clear();
}

void Loop::RunPosted() {
  {
    const MutexLock lock(posted_mutex_);
    posted_.swap(running_);
  }
  RunAll(running_);
}

void Loop::RunNextFunctions() {
  next_.swap(running_next_);
  RunAll(running_next_);
}

void Loop::RunFirstInLine() {
  if (line_.empty()) return;
  std::move_only_function<void()> first = std::move(line_.front());
  line_.pop_front();
  static_cast<void>(RanOutOfMemory(first));
}

void Loop::RunInLine(std::move_only_function<void()> function) {
  line_.push_back(std::move(function));
}

void Loop::RunNext(std::move_only_function<void()> function) {
  next_.push_back(std::move(function));
}

void Loop::Post(std::move_only_function<void()> function) {
  {
    const MutexLock lock(posted_mutex_);
    posted_.push_back(std::move(function));
    if (in_thread()) ++posted_here_;
    if (posted_.size() > 1) return;
  }
  poller_->WakeUp();
}

Loop::AlarmKey Loop::SetAlarm(std::chrono::nanoseconds delay, std::function<void()> function) {
  const AlarmKey key{clock_.Monotonic() + delay, next_alarm_++};
  if (spare_alarms_.empty()) {
    alarms_.emplace(key, std::move(function));
    return key;
  }
  Alarms::node_type alarm = std::move(spare_alarms_.back());
  spare_alarms_.pop_back();
  alarm.key() = key;
  alarm.mapped() = std::move(function);
  alarms_.insert(std::move(alarm));
  return key;
}

void Loop::CancelAlarm(const AlarmKey& key) {
  const std::thread::id owner = thread_.load();
  if (owner != std::thread::id() && owner != std::this_thread::get_id()) return;
  Alarms::node_type alarm = alarms_.extract(key);
  if (alarm.empty()) return;
  alarm.mapped() = nullptr;
  if (spare_alarms_.size() < kSpareAlarmsMax) spare_alarms_.push_back(std::move(alarm));
}

void Loop::RunDueAlarms() {
  if (alarms_.empty()) return;
  now_ = clock_.Monotonic();
  bool has_run = false;
  while (!alarms_.empty() && alarms_.begin()->first.first <= now_ && !stopped_.load()) {
    const auto alarm = alarms_.extract(alarms_.begin());
    static_cast<void>(RanOutOfMemory(alarm.mapped()));
    has_run = true;
  }
  if (has_run) now_ = clock_.Monotonic();  // what ran took time, which the wait must not add again
}

/// How long the loop may wait for an edge or a wake-up; -1: without a limit.
int Loop::WaitMilliseconds() const {
  if (!next_.empty() || !line_.empty()) return 0;
  if (alarms_.empty()) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(alarms_.begin()->first.first - now_).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX));
}

}  // namespace dray::net
