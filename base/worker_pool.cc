// SPDX-License-Identifier: Apache-2.0
#include "base/worker_pool.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/thread_urgency.h"

namespace dray {

WorkerPool::WorkerPool(size_t threads)
    : queue_({.capacity = kQueueMax, .line = kLineMax, .at_once = threads < 2 ? 1 : threads - 1}) {
  threads_.reserve(threads);
  ids_.reserve(threads);
  for (size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this] {
      LetOthersGoFirst();
      while (auto work = queue_.Pop()) CarryOut(*std::move(work));
    });
    ids_.push_back(threads_.back().get_id());
  }
}

WorkerPool::~WorkerPool() {
  queue_.Close();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkerPool::TryPost(std::move_only_function<void()> work, std::string_view owner) {
  return queue_.TryPush(std::move(work), owner);
}

bool WorkerPool::TryPostRest(std::move_only_function<void()> rest, std::string_view owner) {
  return queue_.TryPushRest(std::move(rest), owner);
}

void WorkerPool::CarryOut(Queue::Taken work) {
  std::exchange(work.value, nullptr)();
  queue_.Done(work.owner);
}

bool WorkerPool::RunOne() {
  auto work = queue_.TryPop();
  if (!work) return false;
  guest_.store(std::this_thread::get_id());
  CarryOut(*std::move(work));
  guest_.store(std::thread::id());
  return true;
}

bool WorkerPool::in_pool() const {
  return guest_.load() == std::this_thread::get_id() ||
         std::ranges::find(ids_, std::this_thread::get_id()) != ids_.end();
}

size_t WorkerPool::UsualThreads() {
  return std::clamp<size_t>(std::thread::hardware_concurrency(), 2, 8);
}

}  // namespace dray
