// SPDX-License-Identifier: Apache-2.0
#include "net/reactor.h"

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "base/world.h"
#include "net/loop.h"
#include "net/poller.h"

namespace dray::net {

Timer::Timer(std::weak_ptr<Loop> loop, AlarmKey key)
    : loop_(std::move(loop)), key_(std::move(key)) {}

Timer::Timer(Timer&& other) noexcept : loop_(std::move(other.loop_)), key_(std::move(other.key_)) {
  other.loop_.reset();
}

Timer& Timer::operator=(Timer&& other) noexcept {
  if (this != &other) {
    Cancel();
    loop_ = std::move(other.loop_);
    key_ = other.key_;
    other.loop_.reset();
  }
  return *this;
}

void Timer::Cancel() {
  const std::shared_ptr<Loop> loop = std::exchange(loop_, {}).lock();
  if (loop != nullptr) loop->CancelAlarm(key_);
}

Reactor::Reactor(const Clock& clock) : Reactor(clock, MakeEpoll()) {}

Reactor::Reactor(const Clock& clock, std::unique_ptr<Poller> poller)
    : loop_(std::make_shared<Loop>(clock, std::move(poller))) {}

void Reactor::Run() {
  loop_->Run();
}

void Reactor::Stop() {
  loop_->Stop();
}

void Reactor::Post(std::move_only_function<void()> function) {
  loop_->Post(std::move(function));
}

Timer Reactor::RunAfter(std::chrono::nanoseconds delay, std::function<void()> function) {
  return {loop_, loop_->SetAlarm(delay, std::move(function))};
}

bool Reactor::in_thread() const {
  return loop_->in_thread();
}

}  // namespace dray::net
