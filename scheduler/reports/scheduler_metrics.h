// SPDX-License-Identifier: Apache-2.0
// What `/metrics` says of the scheduler, under the names that kube-scheduler gives.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/world.h"
#include "metrics/registry.h"
#include "scheduler/queue/queue.h"

namespace dray::scheduler::inline reports {

/// How an attempt ended.
enum class AttemptResult : uint8_t { kScheduled, kUnschedulable, kError };

/// What is in the scheduler's mirrors.
struct CacheSizes {
  size_t nodes = 0, pods = 0, assumed_pods = 0;
};

inline double SecondsBetween(MonotonicTime began, MonotonicTime ended) {
  return std::chrono::duration<double>(ended - began).count();
}

/// Belongs to the scheduler's thread. Counting costs some tens of nanoseconds an attempt.
class SchedulerMetrics {
 public:
  /// `registry` outlives it.
  explicit SchedulerMetrics(metrics::Registry& registry);

  /// One pod was tried, for so long, binding included. O(log profiles).
  void CountAttempt(AttemptResult result, const std::string& profile, double seconds);
  /// One pod was looked at: the decision alone.
  void ObserveDecision(double seconds) { decision_.Observe(seconds); }
  /// A pod got its node after so many attempts, so long after it came.
  void CountScheduled(int attempts, double seconds);
  /// Room was looked for.
  void CountPreemption() { preemptions_.Add(); }
  /// Room is made by so many pods that must go.
  void CountVictims(size_t victims) { victims_.Observe(static_cast<double>(victims)); }
  void SetSizes(const QueueSizes& queue, const CacheSizes& cache);

 private:
  struct Series {
    metrics::Counter attempts;
    metrics::Histogram seconds;
  };
  metrics::Registry& registry_;
  std::map<std::pair<AttemptResult, std::string>, Series> series_;
  metrics::Histogram decision_, attempts_, victims_;
  std::map<int, metrics::Histogram> until_scheduled_;  // by the number of attempts
  metrics::Counter preemptions_;
  metrics::Gauge active_, backoff_, unschedulable_, gated_;
  metrics::Gauge nodes_, pods_, assumed_pods_;
};

}  // namespace dray::scheduler::inline reports
