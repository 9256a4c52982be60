// SPDX-License-Identifier: Apache-2.0
#include "net/reactor.h"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mutex.h"
#include "base/out_of_memory.h"
#include "net/loop.h"

namespace dray::net {
namespace {

void RunPosted(Loop& loop) {
  {
    const MutexLock lock(loop.posted_mutex);
    loop.posted.swap(loop.running);
  }
  for (std::move_only_function<void()>& function : loop.running) {
    // Ends the function that found no memory; the others go on.
    static_cast<void>(HadMemory(function));
  }
  loop.running.clear();
}

// Without memory it fails, and Run tries it again.
void AwaitWakeUp(Loop& loop) {
  loop.wake_up.async_read_some(boost::asio::buffer(&loop.wake_ups, sizeof loop.wake_ups),
                               [&loop](const boost::system::error_code& error, size_t) {
                                 loop.awaits_wake_up = false;
                                 if (error) return;  // the loop is being destroyed
                                 AwaitWakeUp(loop);
                                 RunPosted(loop);
                               });
  loop.awaits_wake_up = true;
}

int MakeEventDescriptor() {
  const int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return descriptor;
}

}  // namespace

Timer::Timer(std::weak_ptr<Loop> loop, uint64_t id) : loop_(std::move(loop)), id_(id) {}

Timer::Timer(Timer&& other) noexcept
    : loop_(std::move(other.loop_)), id_(std::exchange(other.id_, 0)) {}

Timer& Timer::operator=(Timer&& other) noexcept {
  if (this != &other) {
    Cancel();
    loop_ = std::move(other.loop_);
    id_ = std::exchange(other.id_, 0);
  }
  return *this;
}

void Timer::Cancel() {
  const uint64_t id = std::exchange(id_, 0);
  if (id == 0) return;
  const std::shared_ptr<Loop> loop = loop_.lock();
  if (loop == nullptr) return;
  const std::thread::id owner = loop->thread.load();
  const bool is_owner = owner == std::thread::id() || owner == std::this_thread::get_id();
  if (is_owner) loop->alarms.erase(id);  // elsewhere it runs out
}

Reactor::Reactor() : loop_(std::make_shared<Loop>()) {
  loop_->wake_up.assign(MakeEventDescriptor());
}

Reactor::~Reactor() = default;

void Reactor::Run() {
  loop_->thread.store(std::this_thread::get_id());
  while (true) {
    try {
      if (!loop_->awaits_wake_up) {
        AwaitWakeUp(*loop_);
        RunPosted(*loop_);
      }
      loop_->context.run();
      return;
    } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the loop is the handler
      // Ends the function that found no memory; the others go on.
    }
  }
}

void Reactor::Stop() {
  loop_->context.stop();
}

void Reactor::Post(std::move_only_function<void()> function) {
  Loop& loop = *loop_;
  {
    const MutexLock lock(loop.posted_mutex);
    loop.posted.push_back(std::move(function));
    if (loop.posted.size() > 1) return;
  }
  const uint64_t one = 1;
  ssize_t written = 0;
  do {
    written = write(loop.wake_up.native_handle(), &one, sizeof one);
  } while (written < 0 && errno == EINTR);
  DRAY_CHECK(written == sizeof one);  // it counts further than anybody can
}

Timer Reactor::RunAfter(std::chrono::nanoseconds delay, std::function<void()> function) {
  Loop& loop = *loop_;
  const uint64_t id = loop.next_alarm++;
  auto& alarm =
      loop.alarms
          .emplace(id, Loop::Alarm{boost::asio::steady_timer(loop.context), std::move(function)})
          .first->second;
  alarm.timer.expires_after(delay);
  // The map entry is what makes a timer live: a completion that was already queued when its timer
  // was cancelled finds none.
  alarm.timer.async_wait([&loop, id](const boost::system::error_code&) {
    const auto found = loop.alarms.find(id);
    if (found == loop.alarms.end()) return;
    const std::function<void()> run = std::move(found->second.function);
    loop.alarms.erase(found);
    run();
  });
  return {loop_, id};
}

bool Reactor::in_thread() const {
  return loop_->thread.load() == std::this_thread::get_id();
}

}  // namespace dray::net
