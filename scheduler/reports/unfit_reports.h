// SPDX-License-Identifier: Apache-2.0
// Which pods that fit nowhere are looked at again to say why, and when: those that have waited a
// little, each seldom, not many at once. Looking is done on another thread, one pod at a time.
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

/// A pod that gets its devices sooner is not talked about.
inline constexpr std::chrono::seconds kReportAfter{1};
/// Between two looks at one pod.
inline constexpr std::chrono::seconds kReportAgainAfter{60};
/// A line that has not changed is told again after that.
inline constexpr std::chrono::minutes kReportRepeatAfter{5};
/// Between looks, whatever the pod.
inline constexpr std::chrono::milliseconds kReportInterval{100};
/// Pods that are known; further ones are not talked about until some of these have gone.
inline constexpr size_t kReportedPodsMax = 4096;

/// Everything but Run and Stop belongs to the scheduler's thread.
class UnfitReports {
 public:
  enum class Place { kHere, kElsewhere };

  /// kHere: Step looks itself. `wakeup` is woken when a line is there; it outlives this.
  UnfitReports(ExplainUnfit explain, Place place, Wakeup& wakeup)
      : explain_(std::move(explain)), place_(place), wakeup_(wakeup) {}

  /// An attempt found no place for the pod.
  void Note(const api::Object& pod, MonotonicTime now);
  /// It waits no more.
  void Forget(std::string_view uid);

  /// What is known of the pod "namespace/name"; nothing: it does not wait, or there is too much.
  using Gather = std::function<std::optional<UnfitPod>(const std::string& key)>;
  /// To be told to who reads about the pod.
  using Tell = std::function<void(const api::Object& pod, const std::string& line)>;
  /// Tells what was found out and has the next pod that is due looked at. When to come again.
  std::optional<MonotonicTime> Step(MonotonicTime now, const Gather& gather, const Tell& tell);

  /// Looks at pods until Stop; on a thread of its own, for kElsewhere.
  void Run();
  /// From any thread.
  void Stop() { questions_.Close(); }

  size_t size() const { return known_.size(); }

 private:
  struct Known {
    std::string key;
    std::optional<MonotonicTime> due;     // is in due_
    std::optional<MonotonicTime> looked;  // last
    std::string line = {};                // told last
    MonotonicTime told = {};
  };
  struct Line {
    api::Object pod;
    std::string text;
  };

  void Finish(const Line& line, MonotonicTime now, const Tell& tell);
  void LookAt(UnfitPod pod, MonotonicTime now, const Tell& tell);

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
