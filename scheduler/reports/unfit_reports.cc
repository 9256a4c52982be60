// SPDX-License-Identifier: Apache-2.0
#include "scheduler/reports/unfit_reports.h"

#include <algorithm>

#include "base/check.h"

namespace dray::scheduler::inline reports {

void UnfitReports::Note(const api::Object& pod, MonotonicTime now) {
  const std::string& uid = pod.metadata().uid;
  auto found = known_.find(uid);
  if (found == known_.end()) {
    if (known_.size() >= kReportedPodsMax) return;
    found = known_.emplace(uid, Known{.key = api::ObjectKey(pod.metadata())}).first;
  }
  Known& known = found->second;
  if (known.due.has_value()) return;
  known.due = now + kReportAfter;
  if (known.looked.has_value()) known.due = std::max(*known.due, *known.looked + kReportAgainAfter);
  due_.emplace(*known.due, uid);
}

void UnfitReports::Forget(std::string_view uid) {
  const auto found = known_.find(uid);
  if (found == known_.end()) return;
  if (found->second.due.has_value()) due_.erase({*found->second.due, found->first});
  known_.erase(found);
}

std::optional<MonotonicTime> UnfitReports::Step(MonotonicTime now,
                                                const Gather& gather,
                                                const Report& report) {
  while (const std::optional<Line> line = lines_.TryPop()) {
    is_looking_ = false;
    Finish(*line, now, report);
  }
  if (is_looking_ || due_.empty()) return std::nullopt;
  const MonotonicTime next = std::max(due_.begin()->first, next_look_);
  if (next > now) return next;
  const std::string uid = due_.extract(due_.begin()).value().second;
  Known& known = known_.at(uid);
  known.due.reset();
  known.looked = now;
  std::optional<UnfitPod> pod = gather(known.key);
  if (pod.has_value() && pod->pod.metadata().uid == uid) {
    next_look_ = now + kReportInterval;
    LookAt(*std::move(pod), now, report);
  }
  if (due_.empty()) return std::nullopt;
  return std::max(due_.begin()->first, next_look_);
}

void UnfitReports::LookAt(UnfitPod pod, MonotonicTime now, const Report& report) {
  if (place_ == Place::kElsewhere) {
    is_looking_ = questions_.TryPush(std::move(pod));  // fails only after Stop
    return;
  }
  Finish({.pod = pod.pod, .text = explain_(pod)}, now, report);
}

void UnfitReports::Finish(const Line& line, MonotonicTime now, const Report& report) {
  const auto found = known_.find(line.pod.metadata().uid);
  if (found == known_.end() || line.text.empty()) return;
  Known& known = found->second;
  if (known.line == line.text && now < known.reported + kReportRepeatAfter) return;
  known.line = line.text;
  known.reported = now;
  report(line.pod, line.text);
}

void UnfitReports::Run() {
  while (std::optional<UnfitPod> pod = questions_.Pop()) {
    Line line{.pod = pod->pod, .text = explain_(*pod)};
    pod.reset();
    DRAY_CHECK(lines_.TryPush(std::move(line)));  // there is at most one line at a time
    wakeup_.Wake();
  }
}

}  // namespace dray::scheduler::inline reports
