// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/commit_queue.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/mutex.h"
#include "base/result.h"
#include "store/store.h"

namespace dray::store::sqlite {
namespace {

/// How long Gather waits for the writers of the last batch, and the limit of waits while writers
/// arrive.
constexpr std::chrono::microseconds kGatherWait{100};
constexpr int kGatherWaitsMax = 10;

/// Longer than the time in which writers react to each other's commits.
constexpr std::chrono::milliseconds kMoment{10};

size_t BytesOf(std::span<const Request> requests) {
  size_t bytes = 0;
  for (const Request& request : requests) bytes += request.size;
  return bytes;
}

}  // namespace

std::optional<Error> CommitQueue::Push(std::span<Request> requests) {
  {
    const MutexLock lock(mutex_);
    if (std::optional<Error> refused = WhyNot(requests)) return refused;
    const size_t bytes = BytesOf(requests);
    requests_.resize(requests_.size() + requests.size());  // on bad_alloc nothing is taken
    std::ranges::move(requests, requests_.end() - std::ssize(requests));
    bytes_ += bytes;
    if (holders_ > 0 || requests_.size() < expected_) return std::nullopt;
  }
  filled_.NotifyOne();  // after unlocking, so the woken thread finds the lock free
  return std::nullopt;
}

std::optional<Error> CommitQueue::WhyNot(std::span<const Request> requests) const {
  if (closed_) {
    return Error{.reason = StatusReason::kServiceUnavailable,
                 .message = "the store is closing and takes no more transactions"};
  }
  const bool fits = requests_.size() + requests.size() <= options_.queue_count_max &&
                    bytes_ + BytesOf(requests) <= options_.queue_bytes_max;
  if (fits || requests_.empty()) return std::nullopt;
  return Error{.reason = StatusReason::kTooManyRequests,
               .message = fmt::format("{} transactions of {} bytes wait for the disk already: "
                                      "try again when it has caught up",
                                      requests_.size(),
                                      bytes_)};
}

void CommitQueue::Hold() {
  const MutexLock lock(mutex_);
  ++holders_;
}

void CommitQueue::Release() {
  {
    const MutexLock lock(mutex_);
    if (--holders_ > 0 || requests_.empty()) return;
  }
  filled_.NotifyOne();
}

std::vector<Request> CommitQueue::Take(Wait wait) {
  if (last_batch_ > 1) Gather(last_batch_);
  std::vector<Request> batch;
  const MutexLock lock(mutex_);
  while ((requests_.empty() || holders_ > 0) && !closed_ && !woken_ && wait != Wait::kNever) {
    if (wait == Wait::kForWork) {
      filled_.Wait(mutex_);
    } else if (!filled_.WaitFor(mutex_, kMoment)) {
      break;
    }
  }
  batch.reserve(std::min(requests_.size(), options_.batch_count_max + kStepsMax));
  woken_ = false;
  size_t bytes = 0;
  size_t writers = 0;
  size_t steps = 0;  // steps still to take that belong to the last request taken
  while (!requests_.empty() && (steps > 0 || batch.size() < options_.batch_count_max)) {
    Request& next = requests_.front();
    const bool may_wait = !batch.empty() && steps == 0;
    if (may_wait && bytes + next.size > options_.batch_bytes_max) break;
    if (steps == 0) ++writers;
    steps = next.steps_after;
    bytes += next.size;
    batch.push_back(std::move(next));
    requests_.pop_front();
  }
  bytes_ -= bytes;
  last_batch_ = writers;
  return batch;
}

std::optional<Request> CommitQueue::TakeOne() {
  const MutexLock lock(mutex_);
  if (requests_.empty()) return std::nullopt;
  std::optional<Request> first = std::move(requests_.front());
  requests_.pop_front();
  bytes_ -= first->size;
  return first;
}

void CommitQueue::Gather(size_t expected) {
  const MutexLock lock(mutex_);
  expected_ = expected;
  for (int i = 0; i < kGatherWaitsMax && !closed_ && requests_.size() < expected; ++i) {
    const size_t waiting = requests_.size();
    filled_.WaitFor(mutex_, kGatherWait);
    if (requests_.size() == waiting) break;
  }
  expected_ = 1;
}

void CommitQueue::Wake() {
  {
    const MutexLock lock(mutex_);
    woken_ = true;
  }
  filled_.NotifyOne();
}

void CommitQueue::Close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  filled_.NotifyOne();
}

bool CommitQueue::is_drained() const {
  const MutexLock lock(mutex_);
  return closed_ && requests_.empty();
}

}  // namespace dray::store::sqlite
