// SPDX-License-Identifier: Apache-2.0
// Keys of objects to reconcile: each key once, failed ones after growing delays. Pure: time is an
// argument, so a simulator can run it; one thread owns it.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/world.h"
#include "client/queue_metrics.h"

namespace dray::client {

class WorkQueue {
 public:
  struct Options {
    /// Delay after the first failure of a key; it doubles with each further one (client-go's item
    /// exponential limiter: 5 ms to 1000 s).
    std::chrono::nanoseconds base_delay = std::chrono::milliseconds(5);
    std::chrono::nanoseconds max_delay = std::chrono::seconds(1000);
    /// Keys waiting, ready or delayed. A key is the name of an object, so this bounds memory
    /// should there be more objects than expected; then the owner starts over from its informers.
    size_t keys_max = 1'000'000;
  };

  WorkQueue() : WorkQueue(Options{}) {}
  explicit WorkQueue(Options options) : options_(options) {}

  /// Makes `key` ready; a no-op when it is ready already. False when the queue is full.
  bool Add(const std::string& key);
  /// Makes `key` ready at `when`, or earlier if it was due earlier. False when the queue is full.
  bool AddAt(const std::string& key, MonotonicTime when);
  /// Counts a failure of `key` and adds it again after its delay. False when the queue is full.
  bool AddRateLimited(const std::string& key, MonotonicTime now);
  /// Forgets the failures of `key`.
  void Forget(std::string_view key);

  /// The key that has been ready longest at `now`.
  std::optional<std::string> Pop(MonotonicTime now);
  /// When Pop has something next: `now` if at once, nothing when no key waits.
  std::optional<MonotonicTime> Next(MonotonicTime now) const;

  /// From now on `/metrics` says what the queue does.
  void CountIn(const QueueMetrics& metrics) { metrics_ = metrics; }
  /// Counts how long one key took. The caller of Pop reports it.
  void ObserveWork(std::chrono::nanoseconds took) const {
    metrics_.work_seconds.Observe(std::chrono::duration<double>(took).count());
  }

  size_t size() const { return ready_set_.size() + due_.size(); }

 private:
  void MakeReady(std::string key);
  void MoveDue(MonotonicTime now);
  void DropDelay(const std::string& key);

  Options options_;
  QueueMetrics metrics_;
  std::deque<std::string> ready_;
  std::unordered_set<std::string> ready_set_;
  std::set<std::pair<MonotonicTime, std::string>> delayed_;
  std::unordered_map<std::string, MonotonicTime> due_;
  std::map<std::string, int, std::less<>> failures_;
};

}  // namespace dray::client
