// SPDX-License-Identifier: Apache-2.0
// The scheduler's `/metrics`, under kube-scheduler's names.
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

/// The outcome of an attempt.
enum class AttemptResult : uint8_t { kScheduled, kUnschedulable, kError };

/// The numbers of objects in the scheduler's mirrors.
struct CacheSizes {
  size_t nodes = 0, pods = 0, assumed_pods = 0;
};

inline double SecondsBetween(MonotonicTime began, MonotonicTime ended) {
  return std::chrono::duration<double>(ended - began).count();
}

/// For the scheduler's thread. Counting costs some tens of nanoseconds an attempt.
class SchedulerMetrics {
 public:
  /// `registry` must outlive it.
  explicit SchedulerMetrics(metrics::Registry& registry);

  /// Counts an attempt for one pod; `seconds` include the binding. O(log profiles).
  void CountAttempt(AttemptResult result, const std::string& profile, double seconds);
  /// Records the duration of one decision, without the binding.
  void ObserveDecision(double seconds) { decision_.Observe(seconds); }
  /// Counts a bound pod, with its number of attempts and the seconds since it was added.
  void CountScheduled(int attempts, double seconds);
  /// Counts a search for pods to evict.
  void CountPreemption() { preemptions_.Add(); }
  /// Records the number of pods evicted for one pod or group.
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
