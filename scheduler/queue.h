// SPDX-License-Identifier: Apache-2.0
// The pods that wait to be scheduled: who is next, who backs off, and what wakes the others.
#pragma once

#include <chrono>
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

namespace dray::scheduler {

/// What happened in the cluster that may let a rejected pod fit.
enum class Cause : uint8_t { kNodes, kAssignedPods, kDevices, kClasses };
inline constexpr size_t kCauses = 4;

/// What a rejected pod waits for: any of these, or a change of one of its claims.
struct WaitsFor {
  std::set<Cause> causes;
  std::vector<std::string> claims;  // "namespace/name"
};

/// Pure: time is an argument. Holds at most the pods of the cluster, by key, and nothing of them.
///
/// Waiting pods are indexed by what they wait for, so an event touches only pods that it wakes, and
/// each of these once per attempt.
class SchedulingQueue {
 public:
  struct Options {
    std::chrono::nanoseconds backoff_first = std::chrono::seconds(1);
    std::chrono::nanoseconds backoff_longest = std::chrono::seconds(10);
    /// A pod that waited this long is tried again, should an event have been misjudged.
    std::chrono::nanoseconds patience = std::chrono::minutes(5);
  };

  SchedulingQueue() : SchedulingQueue(Options{}) {}
  explicit SchedulingQueue(Options options) : options_(options) {}

  /// A pod that is new or whose own change may let it fit: it becomes ready, after its back-off.
  /// No-op for a pod being tried.
  void Add(const std::string& pod, int32_t priority, MonotonicTime now);
  void Remove(std::string_view pod);

  /// The next pod: highest priority, then longest in the queue. It is being tried from now on,
  /// until Park, Retry or Remove.
  std::optional<std::string> Pop(MonotonicTime now);

  /// The pod is not ready to be tried: no attempt is counted.
  void Gate(std::string_view pod, WaitsFor waits_for, MonotonicTime now);
  /// The pod fits nowhere: it waits for something to change.
  void Park(std::string_view pod, WaitsFor waits_for, MonotonicTime now);
  /// Something went wrong: try again after a back-off, whatever happens.
  void Retry(std::string_view pod, MonotonicTime now);

  void Wake(Cause cause, MonotonicTime now);
  void WakeForClaim(std::string_view claim, MonotonicTime now);

  /// When Pop may have something next; nothing when no pod waits.
  std::optional<MonotonicTime> Next(MonotonicTime now) const;
  size_t size() const { return pods_.size(); }

 private:
  enum class State : uint8_t { kReady, kBackingOff, kWaiting, kTrying };
  struct Entry {
    State state = State::kTrying;
    int32_t priority = 0;
    int attempts = 0;  // that ended as unschedulable
    int failures = 0;  // in a row
    uint64_t ticket = 0;
    MonotonicTime not_before{};
    MonotonicTime since{};
    WaitsFor waits_for = {};
  };
  using Pods = std::map<std::string, Entry, std::less<>>;
  using Names = std::set<std::string, std::less<>>;

  void MakeReady(Pods::iterator pod, MonotonicTime now);
  void Wait(Pods::iterator pod, WaitsFor waits_for, MonotonicTime now);
  void Leave(Pods::iterator pod);
  void Flush(MonotonicTime now);
  void WakeAll(Names pods, MonotonicTime now);
  MonotonicTime BackOff(int count, MonotonicTime now) const;

  Options options_;
  Pods pods_;
  uint64_t next_ticket_ = 0;
  std::set<std::tuple<int64_t, uint64_t, std::string>> ready_;  // -priority, ticket
  std::set<std::pair<MonotonicTime, std::string>> backing_off_;
  std::set<std::pair<MonotonicTime, std::string>> waiting_;  // by when it began to wait
  std::map<Cause, Names> by_cause_;
  std::map<std::string, Names, std::less<>> by_claim_;
};

}  // namespace dray::scheduler
