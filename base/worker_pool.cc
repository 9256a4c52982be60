// SPDX-License-Identifier: Apache-2.0
#include "base/worker_pool.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>

namespace dray {

WorkerPool::WorkerPool(size_t threads) {
  threads_.reserve(threads);
  ids_.reserve(threads);
  for (size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this] {
      while (auto work = queue_.Pop()) (*work)();
    });
    ids_.push_back(threads_.back().get_id());
  }
}

WorkerPool::~WorkerPool() {
  queue_.Close();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkerPool::TryPost(std::move_only_function<void()> work) {
  return queue_.TryPush(std::move(work));
}

bool WorkerPool::RunOne() {
  auto work = queue_.TryPop();
  if (!work) return false;
  guest_.store(std::this_thread::get_id());
  (*work)();
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
