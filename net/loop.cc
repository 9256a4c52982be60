// SPDX-License-Identifier: Apache-2.0
#include "net/loop.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mutex.h"
#include "base/out_of_memory.h"
#include "base/world.h"

namespace dray::net {
namespace {

constexpr uint32_t kEnd = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
constexpr uint32_t kReadable = EPOLLIN | kEnd;
constexpr uint32_t kWritable = EPOLLOUT | EPOLLHUP | EPOLLERR;

int MustHave(int descriptor, const char* what) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), what);
  return descriptor;
}

}  // namespace

Loop::Loop(const Clock& clock)
    : clock_(clock),
      epoll_(MustHave(epoll_create1(EPOLL_CLOEXEC), "epoll")),
      wake_up_(MustHave(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {
  spare_alarms_.reserve(kSpareAlarmsMax);  // calling off needs no memory
  const int error = Await(wake_up_.get(), woken_);
  if (error != 0) throw std::system_error(error, std::generic_category(), "epoll");
}

void Loop::Run() {
  thread_.store(std::this_thread::get_id());
  while (!stopped_.load()) {
    RunWhatIsNext();
    RunDueAlarms();  // at the time from which the wait is counted
    if (stopped_.load()) return;
    const int count =
        epoll_wait(epoll_.get(), events_.data(), int{kEventsAtOnce}, WaitMilliseconds());
    DRAY_CHECK(count >= 0 || errno == EINTR);
    event_count_ = static_cast<size_t>(std::max(count, 0));
    Dispatch();
  }
}

void Loop::Stop() {
  stopped_.store(true);
  WakeUp();
}

void Loop::Dispatch() {
  for (size_t i = 0; i < event_count_ && !stopped_.load(); ++i) {
    const epoll_event event = events_[i];
    auto* const waiter = static_cast<Waiter*>(event.data.ptr);
    if (waiter == nullptr) continue;  // was forgotten meanwhile
    static_cast<void>(HadMemory([&] {
      waiter->OnReady({.to_read = (event.events & kReadable) != 0,
                       .to_write = (event.events & kWritable) != 0,
                       .at_end = (event.events & kEnd) != 0});
    }));
  }
  event_count_ = 0;
}

int Loop::Await(int descriptor, Waiter& waiter) {
  epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {.ptr = &waiter}};
  return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0 ? 0 : errno;
}

void Loop::Forget(int descriptor, const Waiter& waiter) {
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
  for (size_t i = 0; i < event_count_; ++i) {
    if (events_[i].data.ptr == &waiter) events_[i].data.ptr = nullptr;
  }
}

void Loop::RunAll(std::vector<std::move_only_function<void()>>& functions) {
  for (std::move_only_function<void()>& function : functions) {
    if (stopped_.load()) break;
    static_cast<void>(HadMemory(function));
  }
  functions.clear();
}

void Loop::Woken::OnReady(Ready /*ready*/) {
  {
    const MutexLock lock(loop_.posted_mutex_);
    loop_.posted_.swap(loop_.running_);
  }
  loop_.RunAll(loop_.running_);
}

void Loop::RunWhatIsNext() {
  next_.swap(running_next_);
  RunAll(running_next_);
}

void Loop::RunNext(std::move_only_function<void()> function) {
  next_.push_back(std::move(function));
}

void Loop::Post(std::move_only_function<void()> function) {
  {
    const MutexLock lock(posted_mutex_);
    posted_.push_back(std::move(function));
    if (posted_.size() > 1) return;
  }
  WakeUp();
}

void Loop::WakeUp() {
  const uint64_t one = 1;
  ssize_t written = 0;
  do {
    written = write(wake_up_.get(), &one, sizeof one);
  } while (written < 0 && errno == EINTR);
  DRAY_CHECK(written == sizeof one);  // it counts further than anybody can
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
  while (!alarms_.empty() && alarms_.begin()->first.first <= now_ && !stopped_.load()) {
    const auto alarm = alarms_.extract(alarms_.begin());
    static_cast<void>(HadMemory(alarm.mapped()));
  }
}

/// How long nothing needs to be done; -1: until somebody says so.
int Loop::WaitMilliseconds() const {
  if (!next_.empty()) return 0;
  if (alarms_.empty()) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(alarms_.begin()->first.first - now_).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX));
}

}  // namespace dray::net
