// SPDX-License-Identifier: Apache-2.0
#include "scheduler/reports/outcome_reporter.h"

#include <fmt/format.h>

#include "api/value/time.h"
#include "client/event_recorder.h"

namespace dray::scheduler::inline reports {

namespace core_v1 = api::core_v1;

void OutcomeReporter::KeepStory(const core_v1::Pod& pod) {
  if (uses_.metrics == nullptr) return;
  stories_[pod.metadata.uid] = uses_.queue.StoryOf(uses_.pending.EntryOf(pod));
}

void OutcomeReporter::DropStory(std::string_view uid) {
  if (const auto story = stories_.find(uid); story != stories_.end()) stories_.erase(story);
}

void OutcomeReporter::ReportWaiting(const api::Object& pod, std::string_view node) {
  uses_.reporter.Record(
      pod,
      {.type = client::EventType::kNormal,
       .reason = "BindingConditionsPending",
       .message = fmt::format("waiting for binding conditions for device on node {}", node),
       .action = "Scheduling",
       .component = ComponentFor(pod)});
}

void OutcomeReporter::ReportBound(const api::Object& pod, std::string_view node) {
  const auto kept = stories_.extract(pod.metadata().uid);
  Count(AttemptResult::kScheduled, pod, kept.empty() ? QueueStory() : kept.mapped());
  const std::string key = api::ObjectKey(pod.metadata());
  uses_.log.Info("pod bound", "pod", key, "node", node);
  uses_.reporter.Record(pod,
                        {.type = client::EventType::kNormal,
                         .reason = "Scheduled",
                         .message = fmt::format("Successfully assigned {} to {}", key, node),
                         .action = "Binding",
                         .component = ComponentFor(pod)});
}

void OutcomeReporter::ReportFailure(const api::Object& pod, const WhyNotScheduled& why) {
  const bool fits_nowhere = why.reason == "Unschedulable";
  Count(fits_nowhere ? AttemptResult::kUnschedulable : AttemptResult::kError,
        pod,
        uses_.queue.StoryOf(uses_.pending.EntryOf(pod.As<core_v1::Pod>())));
  uses_.reporter.Record(pod,
                        {.type = client::EventType::kWarning,
                         .reason = "FailedScheduling",
                         .message = why.message,
                         .action = "Scheduling",
                         .component = ComponentFor(pod)});
  if (uses_.unfit != nullptr && fits_nowhere) uses_.unfit->Note(pod);
  WriteCondition(pod, why);
}

void OutcomeReporter::Count(AttemptResult result, const api::Object& pod, const QueueStory& story) {
  if (uses_.metrics == nullptr) return;
  const Profile* const profile = ProfileOf(uses_.configuration, pod.As<core_v1::Pod>());
  if (story.attempts == 0 || profile == nullptr) return;  // now another scheduler's pod
  const MonotonicTime now = uses_.clock.Monotonic();
  uses_.metrics->CountAttempt(result, profile->name, SecondsBetween(story.tried, now));
  if (result != AttemptResult::kScheduled) return;
  uses_.metrics->CountScheduled(story.attempts, SecondsBetween(story.came, now));
}

void OutcomeReporter::WriteCondition(const api::Object& pod, const WhyNotScheduled& why) {
  const api::Object* found = uses_.cluster.FindPod(api::ObjectKey(pod.metadata()));
  const api::Object newest = found == nullptr ? pod : *found;
  // The next decision needs the nomination, so this thread writes it.
  const std::string& nominated = newest.As<core_v1::Pod>().status.nominated_node_name;
  const bool is_nomination = why.nomination.value_or(nominated) != nominated;
  if (uses_.reporter.is_elsewhere() && !is_nomination) {
    if (newest.metadata().uid == pod.metadata().uid) uses_.reporter.Enqueue(newest, why);
    return;
  }
  const Result<api::Object> written = ReportNotScheduled(
      uses_.client, newest, pod.metadata().uid, why, api::Time::Of(uses_.clock.Now()));
  if (written) {
    uses_.feed.Assume(*written);
  } else if (written.error().reason != StatusReason::kNotFound) {
    uses_.log.Warning("cannot tell why a pod waits",
                      "pod",
                      pod.metadata().name,
                      "error",
                      written.error().message);
  }
}

const std::string& OutcomeReporter::ComponentFor(const api::Object& pod) const {
  return ReporterOf(uses_.configuration, pod.As<core_v1::Pod>());
}

}  // namespace dray::scheduler::inline reports
