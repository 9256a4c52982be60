// SPDX-License-Identifier: Apache-2.0
// Decides which pods that fit nowhere are explained, and when: pods that have waited a little, each
// seldom, not many at once. Another thread computes the explanations, one pod at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/object.h"
#include "base/bounded_queue.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "scheduler/reports/unfit_pod.h"

namespace dray::scheduler::inline reports {

/// A pod that gets its devices sooner is not explained.
inline constexpr std::chrono::seconds kReportAfter{1};
/// The least time between two explanations of one pod.
inline constexpr std::chrono::seconds kReportAgainAfter{60};
/// A line that has not changed is reported again after this time.
inline constexpr std::chrono::minutes kReportRepeatAfter{5};
/// The least time between two explanations, whatever the pod.
inline constexpr std::chrono::milliseconds kReportInterval{100};
/// The most pods that are tracked; further pods are not explained until some of these have gone.
inline constexpr size_t kReportedPodsMax = 4096;

/// Only the scheduler's thread may call functions other than Run and Stop.
class UnfitReports {
 public:
  enum class Place { kHere, kElsewhere };

  /// kHere: Step explains. `wakeup` is woken when a line is ready; it must outlive this.
  UnfitReports(ExplainUnfit explain, Place place, Wakeup& wakeup)
      : explain_(std::move(explain)), place_(place), wakeup_(wakeup) {}

  /// Records that an attempt found no place for the pod.
  void Note(const api::Object& pod, MonotonicTime now);
  /// The pod does not wait any more.
  void Forget(std::string_view uid);

  /// Gathers the input for the pod "namespace/name"; absent: it does not wait, or the input is too
  /// large.
  using Gather = std::function<std::optional<UnfitPod>(const std::string& key)>;
  /// Reports a line about the pod.
  using Report = std::function<void(const api::Object& pod, const std::string& line)>;
  /// Reports finished lines and requests the next explanation that is due. Returns when to call it
  /// again.
  std::optional<MonotonicTime> Step(MonotonicTime now, const Gather& gather, const Report& report);

  /// Computes explanations until Stop; on a thread of its own, for kElsewhere.
  void Run();
  /// Safe on any thread.
  void Stop() { questions_.Close(); }

  size_t size() const { return known_.size(); }

 private:
  struct Known {
    std::string key;
    std::optional<MonotonicTime> due;     // a key in due_
    std::optional<MonotonicTime> looked;  // when it was last explained
    std::string line = {};                // reported last
    MonotonicTime reported = {};
  };
  struct Line {
    api::Object pod;
    std::string text;
  };

  void Finish(const Line& line, MonotonicTime now, const Report& report);
  void LookAt(UnfitPod pod, MonotonicTime now, const Report& report);

  const ExplainUnfit explain_;
  const Place place_;
  Wakeup& wakeup_;
  std::map<std::string, Known, std::less<>> known_;      // by uid
  std::set<std::pair<MonotonicTime, std::string>> due_;  // uids
  MonotonicTime next_look_ = {};
  bool is_looking_ = false;
  BoundedQueue<UnfitPod> questions_{1};
  BoundedQueue<Line> lines_{1};
};

}  // namespace dray::scheduler::inline reports
