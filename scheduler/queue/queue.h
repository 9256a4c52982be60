// SPDX-License-Identifier: Apache-2.0
// The scheduling queue: which pod is next, which pods back off, and which events move unschedulable
// pods back.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/world.h"
#include "scheduler/queue/cluster_event.h"
#include "scheduler/queue/fair_order.h"

namespace dray::scheduler::inline queue {

/// The events that move an unschedulable pod: any of these, or a change of one of its claims.
struct WaitsFor {
  std::set<ClusterEvent> events;
  std::vector<std::string> claims;  // "namespace/name"
};

/// The number of pods in each state.
struct QueueSizes {
  size_t active = 0, backoff = 0, unschedulable = 0, gated = 0;
};

/// The history of a pod since it was added.
struct QueueStory {
  int attempts = 0;  // that have begun
  MonotonicTime came{};
  MonotonicTime tried{};  // the last time
};

/// Pure: time is an argument. Holds the keys of at most the pods of the cluster, and no objects.
///
/// Unschedulable pods are indexed by what they wait for, so an event touches only pods that it
/// moves, and each of these once per attempt.
class SchedulingQueue {
 public:
  struct Options {
    std::chrono::nanoseconds backoff_initial = std::chrono::seconds(1);
    std::chrono::nanoseconds backoff_max = std::chrono::seconds(10);
    /// A pod that was unschedulable for this long is retried, in case an event was misjudged.
    std::chrono::nanoseconds unschedulable_max = std::chrono::minutes(5);
    /// The longest time aside for a pod whose attempts spend their budget.
    std::chrono::nanoseconds aside_max = std::chrono::minutes(5);
    /// While no pod is active, Pop takes unschedulable pods that an event moved before their
    /// back-off is over (SchedulerPopFromBackoffQ, on since 1.33; KEP-5142).
    bool pops_from_backoff = true;
  };

  SchedulingQueue() : SchedulingQueue(Options{}) {}
  explicit SchedulingQueue(Options options) : options_(options) {}

  /// Adds a pod that is new or whose own change may make it schedulable: it becomes active after
  /// its back-off. A no-op for a pod in flight. `share`: the namespace that expensive attempts are
  /// charged to; empty: attempts for the pod are cheap.
  void Add(const std::string& pod, int32_t priority, MonotonicTime now, std::string share = {});
  void Remove(std::string_view pod);
  bool Has(std::string_view pod) const { return pods_.contains(pod); }

  /// Returns the next pod: highest priority, then the namespace that has used the fewest turns,
  /// then longest in the queue (FairOrder). Pods that back off come by the second in which their
  /// back-off ends, then highest priority, then longest in the queue. The pod is in flight until
  /// AddUnschedulable, AddBackoff or Remove.
  std::optional<std::string> Pop(MonotonicTime now);

  /// Charges the work of an attempt for the pod, even if the pod has been removed.
  void Charge(std::string_view pod, uint64_t work);

  /// The pod may not be tried yet, for example because of a gate; no attempt is counted.
  void Gate(std::string_view pod, WaitsFor waits_for, MonotonicTime now);
  /// The pod is unschedulable until an event that `waits_for` names.
  void AddUnschedulable(std::string_view pod, WaitsFor waits_for, MonotonicTime now);
  /// The attempt failed: the pod is retried after a back-off, never earlier, without an event.
  void AddBackoff(std::string_view pod, MonotonicTime now);
  /// The attempt spent its budget. The pod is put aside for a time that doubles with each call, and
  /// no event ends it earlier. All pods of its share wait for `rest`. Returns the time.
  std::chrono::nanoseconds PutAside(std::string_view pod,
                                    std::chrono::nanoseconds rest,
                                    MonotonicTime now);
  /// How often the pod was put aside since it was added.
  int TimesAside(std::string_view pod) const;

  /// Makes the pods that wait for the event active, after their back-off.
  void MoveOnEvent(ClusterEvent event, MonotonicTime now);
  void MoveOnClaimChange(std::string_view claim, MonotonicTime now);

  /// When Pop may return a pod next; absent: no pod waits.
  std::optional<MonotonicTime> Next(MonotonicTime now) const;
  size_t size() const { return pods_.size(); }
  /// O(1).
  QueueSizes sizes() const;
  /// The history of a pod in the queue or in flight; empty for others.
  QueueStory StoryOf(std::string_view pod) const;

 private:
  enum class State : uint8_t { kActive, kBackoff, kUnschedulable, kInFlight };
  struct Entry {
    State state = State::kInFlight;
    int32_t priority = 0;
    int attempts = 0;  // that ended as unschedulable
    int failures = 0;  // in a row
    int asides = 0;
    std::string share = {};
    uint64_t ticket = 0;
    MonotonicTime not_before{};
    MonotonicTime since{};
    WaitsFor waits_for = {};
    bool is_gated = false;   // and unschedulable
    bool waits_out = false;  // its back-off ends by time alone
    QueueStory story = {};
  };
  using Pods = std::map<std::string, Entry, std::less<>>;
  using Names = std::set<std::string, std::less<>>;
  /// The second in which the back-off ends, -priority, ticket, pod.
  using EarlyPlace = std::tuple<std::chrono::seconds, int64_t, uint64_t, std::string>;

  Pods::iterator TakeFirst();
  static EarlyPlace EarlyPlaceOf(const Pods::value_type& pod);
  void MoveToActiveOrBackoff(Pods::iterator pod, MonotonicTime now);
  void MoveToUnschedulable(Pods::iterator pod, WaitsFor waits_for, MonotonicTime now);
  void Leave(Pods::iterator pod);
  bool MayGo(const Entry& entry, MonotonicTime now) const;
  void Flush(MonotonicTime now);
  void MoveAll(Names pods, MonotonicTime now);
  MonotonicTime BackOff(int count, MonotonicTime now) const;

  Options options_;
  Pods pods_;
  uint64_t next_ticket_ = 0;
  size_t gated_ = 0;
  std::map<std::string, MonotonicTime, std::less<>> rests_;  // shares that rest, and until when
  FairOrder active_;
  std::set<std::pair<MonotonicTime, std::string>> backoff_;
  std::set<EarlyPlace> early_;  // those of backoff_ that Pop may take before their time
  std::set<std::pair<MonotonicTime, std::string>> unschedulable_;  // by the start of the wait
  std::map<ClusterEvent, Names> by_event_;
  std::map<std::string, Names, std::less<>> by_claim_;
};

}  // namespace dray::scheduler::inline queue
