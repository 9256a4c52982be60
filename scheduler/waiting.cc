// SPDX-License-Identifier: Apache-2.0
// Pods whose binding waits for their devices: the part of the scheduler around
// binding_conditions.h.
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "scheduler/binding_conditions.h"
#include "scheduler/scheduler.h"

namespace dray::scheduler {

namespace {

namespace core_v1 = api::core_v1;

}  // namespace

/// The claims of the pod are written; the binding follows when its devices are ready.
void Scheduler::Await(BindTask task) {
  reporter_.Record(
      task.pod,
      {.type = client::EventType::kNormal,
       .reason = "BindingConditionsPending",
       .message = fmt::format("waiting for binding conditions for device on node {}", task.node),
       .action = "Scheduling",
       .component = NameFor(task.pod)});
  // A pod that has gone meanwhile waits for nothing.
  if (!cluster_.IsAssumed(task.pod.metadata().uid)) return;
  const Profile& profile = *ProfileOf(task.pod.As<core_v1::Pod>());
  const MonotonicTime end = EndOfWait(task, profile.binding_timeout, world_.clock.Now(), Now());
  waiting_.Add(std::move(task), end);
}

/// Binds those whose devices are ready, and gives up on those that failed; when to look again.
std::optional<MonotonicTime> Scheduler::GoOnWithWaiting() {
  if (waiting_.size() == 0) return std::nullopt;
  std::vector<BindTask> due = waiting_.TakeDue(
      Now(),
      [this](std::string_view pod) { return cluster_.FindPod(pod); },
      [this](std::string_view claim) { return cluster_.FindClaim(claim); });
  for (BindTask& task : due) StartBinding(std::move(task));
  return waiting_.Next(Now());
}

}  // namespace dray::scheduler
