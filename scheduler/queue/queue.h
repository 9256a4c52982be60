// SPDX-License-Identifier: Apache-2.0
// The scheduling queue: which pod is next, which ones back off, and which events move the
// unschedulable ones back.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/world.h"
#include "scheduler/queue/cluster_event.h"
#include "scheduler/queue/fair_order.h"

namespace dray::scheduler::inline queue {

/// What an unschedulable pod waits for: any of these events, or a change of one of its claims.
struct WaitsFor {
  std::set<ClusterEvent> events;
  std::vector<std::string> claims;  // "namespace/name"
};

/// How many wait, and for what.
struct QueueSizes {
  size_t active = 0, backoff = 0, unschedulable = 0, gated = 0;
};

/// What became of a pod since it came.
struct QueueStory {
  int attempts = 0;  // that were begun
  MonotonicTime came{};
  MonotonicTime tried{};  // last
};

/// Pure: time is an argument. Holds at most the pods of the cluster, by key, and nothing of them.
///
/// Unschedulable pods are indexed by what they wait for, so an event touches only pods that it
/// moves, and each of these once per attempt.
class SchedulingQueue {
 public:
  struct Options {
    std::chrono::nanoseconds backoff_initial = std::chrono::seconds(1);
    std::chrono::nanoseconds backoff_max = std::chrono::seconds(10);
    /// A pod that was unschedulable for this long is tried again: an event may have been misjudged.
    std::chrono::nanoseconds unschedulable_max = std::chrono::minutes(5);
    /// The longest that a pod is put aside whose attempts take too much.
    std::chrono::nanoseconds aside_max = std::chrono::minutes(5);
  };

  SchedulingQueue() : SchedulingQueue(Options{}) {}
  explicit SchedulingQueue(Options options) : options_(options) {}

  /// A pod that is new or whose own change may make it schedulable: it becomes active, after its
  /// back-off. A no-op for a pod in flight. `share`: with whom it shares the time of attempts that
  /// take much, a namespace; empty: it takes little.
  void Add(const std::string& pod, int32_t priority, MonotonicTime now, std::string share = {});
  void Remove(std::string_view pod);
  bool Has(std::string_view pod) const { return pods_.contains(pod); }

  /// The next pod: highest priority, then the namespace that has used the fewest turns, then
  /// longest in the queue (FairOrder). It is in flight from now on, until AddUnschedulable,
  /// AddBackoff or Remove.
  std::optional<std::string> Pop(MonotonicTime now);

  /// Counts work that an attempt for the pod has done, whether the pod is still here or not.
  void Charge(std::string_view pod, uint64_t work);

  /// The pod may not be tried yet: no attempt is counted.
  void Gate(std::string_view pod, WaitsFor waits_for, MonotonicTime now);
  /// The pod is unschedulable: it waits for what `waits_for` names.
  void AddUnschedulable(std::string_view pod, WaitsFor waits_for, MonotonicTime now);
  /// The attempt failed: the pod is tried again after a back-off, whatever happens.
  void AddBackoff(std::string_view pod, MonotonicTime now);
  /// The attempt took more than it may: the pod is put aside for a while, which doubles each time,
  /// whatever happens meanwhile; and all that have its share wait for `rest`. Returns the while.
  std::chrono::nanoseconds PutAside(std::string_view pod,
                                    std::chrono::nanoseconds rest,
                                    MonotonicTime now);
  /// How often the pod was put aside since it came.
  int TimesAside(std::string_view pod) const;

  /// Those that wait for it become active, after their back-off.
  void MoveOnEvent(ClusterEvent event, MonotonicTime now);
  void MoveOnClaimChange(std::string_view claim, MonotonicTime now);

  /// When Pop may have something next; nothing when no pod waits.
  std::optional<MonotonicTime> Next(MonotonicTime now) const;
  size_t size() const { return pods_.size(); }
  /// O(1).
  QueueSizes sizes() const;
  /// Of a pod that is here, in flight or not; else nothing has become of it.
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
    bool is_gated = false;  // and unschedulable
    QueueStory story = {};
  };
  using Pods = std::map<std::string, Entry, std::less<>>;
  using Names = std::set<std::string, std::less<>>;

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
  std::map<std::string, MonotonicTime, std::less<>> rests_;  // of shares that rest: until when
  FairOrder active_;
  std::set<std::pair<MonotonicTime, std::string>> backoff_;
  std::set<std::pair<MonotonicTime, std::string>> unschedulable_;  // by when it began to wait
  std::map<ClusterEvent, Names> by_event_;
  std::map<std::string, Names, std::less<>> by_claim_;
};

}  // namespace dray::scheduler::inline queue
