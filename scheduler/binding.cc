// SPDX-License-Identifier: Apache-2.0
// Placements on their way to the server: who writes them, and what becomes of each.
#include <iterator>
#include <list>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/out_of_memory.h"
#include "base/task.h"
#include "client/write_rounds.h"
#include "scheduler/bind.h"
#include "scheduler/scheduler.h"

namespace dray::scheduler {

namespace core_v1 = api::core_v1;

void Scheduler::RunBinder() {
  client::WriteRounds rounds(client_);
  std::list<BindTask> under_way;
  bool has_outcome = false;
  const auto note = [&](BindOutcome outcome) {
    // There is room for the outcome of every task that was accepted.
    DRAY_CHECK(outcomes_.TryPush(std::move(outcome)));
    has_outcome = true;
  };
  const auto begin = [&](BindTask task) {
    const bool is_kept = HadMemory([&] { under_way.push_back(std::move(task)); });
    if (!is_kept) return note({.unknown = std::move(task)});
    const auto kept = std::prev(under_way.end());
    const auto finish = [&under_way, &note, kept](Result<BindOutcome> outcome) {
      note(outcome ? *std::move(outcome) : BindOutcome{.unknown = std::move(*kept)});
      under_way.erase(kept);
    };
    const bool is_begun = HadMemory([&] { Start(Bind(&rounds, &*kept), finish); });
    if (!is_begun) finish(Fail(OutOfMemory()));
  };
  while (true) {
    std::optional<BindTask> task = rounds.idle() ? tasks_.Pop() : tasks_.TryPop();
    for (; task && !loop_.stopping(); task = tasks_.TryPop()) {
      begin(*std::move(task));
    }
    if (rounds.idle() && !has_outcome) return;  // closed
    if (!rounds.idle()) rounds.Run();
    if (std::exchange(has_outcome, false)) loop_.wakeup().Wake();
  }
}

void Scheduler::StartBinding(BindTask task) {
  if (bindings_ < options_.bindings_max && tasks_.TryPush(task)) {
    ++bindings_;
    return;
  }
  FinishBinding(Bind(client_, std::move(task)));
}

/// Asks about what is due; when the next one is.
std::optional<MonotonicTime> Scheduler::AskAboutUnknown() {
  const MonotonicTime now = Now();
  while (!unknown_.empty() && unknown_.begin()->first <= now && !loop_.stopping()) {
    StartBinding(std::move(unknown_.extract(unknown_.begin()).mapped()));
  }
  if (unknown_.empty()) return std::nullopt;
  return unknown_.begin()->first;
}

void Scheduler::FinishBinding(BindOutcome outcome) {
  // First the mirror shows the allocation, then the hold on its devices ends.
  for (const api::Object& claim : outcome.written) feed_.Assume(claim);
  if (outcome.unknown.has_value()) {
    log_.Warning("nobody knows whether a pod was bound: asks again",
                 "pod",
                 outcome.unknown->pod_key,
                 "error",
                 outcome.error);
    unknown_.emplace(Now() + options_.ask_again, *std::move(outcome.unknown));
    return;
  }
  for (const std::string& hold : outcome.holds) cluster_.taken().Unreserve(hold);
  if (outcome.waiting.has_value()) return Await(*std::move(outcome.waiting));
  const auto ended = stories_.extract(outcome.pod.metadata().uid);
  const QueueStory story = ended.empty() ? QueueStory() : ended.mapped();
  if (outcome.error.empty()) {
    Count(AttemptResult::kScheduled, outcome.pod, story);
    Dequeue(outcome.pod.As<core_v1::Pod>());
    if (classic_.has_value()) classic_->EndDialogue(outcome.pod);
    log_.Info("pod bound", "pod", outcome.pod_key, "node", outcome.node);
    reporter_.Record(
        outcome.pod,
        {.type = client::EventType::kNormal,
         .reason = "Scheduled",
         .message = fmt::format("Successfully assigned {} to {}", outcome.pod_key, outcome.node),
         .action = "Binding",
         .component = NameFor(outcome.pod)});
    return;
  }
  const std::string& uid = outcome.pod.metadata().uid;
  // A pod deleted or bound by somebody else meanwhile is not ours any more.
  const bool still_ours = cluster_.ForgetPod(uid);
  // Others may have been turned away by what this attempt held.
  queue_.MoveOnEvent(ClusterEvent::kDevices, Now());
  queue_.MoveOnEvent(ClusterEvent::kAssignedPods, Now());
  if (!still_ours) return;
  const api::Object* pod = cluster_.FindPod(outcome.pod_key);
  if (pod != nullptr && pod->metadata().deletion_timestamp) {
    return Dequeue(outcome.pod.As<core_v1::Pod>());
  }
  if (classic_.has_value()) DropReservations(outcome.pod);
  const std::string entry = EntryOf(outcome.pod.As<core_v1::Pod>());
  if (entry != outcome.pod_key) Enqueue(outcome.pod.As<core_v1::Pod>());
  HandleFailure(entry, outcome.pod, outcome.error);
}

}  // namespace dray::scheduler
