// SPDX-License-Identifier: Apache-2.0
#include "scheduler/unplaced_pods.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/core_v1/pod.h"
#include "scheduler/reports/pod_writes.h"

namespace dray::scheduler {

void UnplacedPods::HandleUnschedulable(const std::string& key,
                                       const api::Object& pod,
                                       std::span<const api::Object> claims,
                                       Unschedulable result) {
  if (uses_.metrics != nullptr) uses_.metrics->CountPreemption();
  const Result<PodRoom> room = uses_.evictor.MakeRoom(result, claims, pod);
  if (!room) return HandleFailure(key, pod, room.error().message);
  const std::string message = MessageOf(result, room->given_up);
  uses_.queue.AddUnschedulable(key, std::move(result.waits_for), uses_.clock.Monotonic());
  if (room->freed.has_value()) uses_.claims.Assume(*room->freed);  // also wakes this pod
  // While victims are going the pod keeps its nomination.
  std::optional<std::string> nomination;
  if (result.preemption.has_value()) {
    nomination = result.preemption->name;
  } else if (result.not_preempting.empty()) {
    nomination = "";
  }
  uses_.outcomes.ReportFailure(
      pod, {.reason = "Unschedulable", .message = message, .nomination = std::move(nomination)});
  if (!result.preemption.has_value()) return;
  const Preemptor preemptor{
      .type = "pod",
      .uid = pod.metadata().uid,
      .scheduler = ReporterOf(uses_.configuration, pod.As<api::core_v1::Pod>())};
  uses_.evictor.Evict(result.preemption->victims, preemptor, result.preemption->name);
}

void UnplacedPods::HandleFailure(const std::string& key,
                                 const api::Object& pod,
                                 const std::string& message) {
  uses_.queue.AddBackoff(key, uses_.clock.Monotonic());
  uses_.log.Warning("attempt failed", "pod", key, "error", message);
  uses_.outcomes.ReportFailure(pod,
                               {.reason = "SchedulerError", .message = message, .nomination = ""});
}

void UnplacedPods::HandleFailure(const std::string& key,
                                 const api::Object& pod,
                                 const AttemptFailed& failed) {
  if (!failed.took_too_much) return HandleFailure(key, pod, failed.message);
  const std::string message = fmt::format("{}; {}", failed.message, uses_.decider.PutAside(key));
  uses_.log.Warning("attempt given up", "pod", key, "error", message);
  uses_.outcomes.ReportFailure(pod,
                               {.reason = "SchedulerError", .message = message, .nomination = ""});
}

}  // namespace dray::scheduler
