// SPDX-License-Identifier: Apache-2.0
// One thread owns all state. An attempt is synchronous, so nothing changes between looking and
// reserving; the writes of a placement may happen on other threads, and until their answer has been
// assumed into the mirror, the devices stay in flight and the pod counts on its node: however long
// it takes to find out what became of a write that nobody answered.
#include "scheduler/scheduler.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "api/claims/extended_claim.h"
#include "api/claims/pod_claims.h"
#include "api/claims/pod_groups.h"
#include "api/core_v1/namespace.h"
#include "api/core_v1/node.h"
#include "api/pods/life.h"
#include "api/policy_v1.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_class.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "base/check.h"
#include "client/read_modify_write.h"
#include "scheduler/pod_claims.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

// Attempts may do so much, but for the last one, before the informers are looked at again: the pod
// that should be next may have come meanwhile.
constexpr uint64_t kWorkPerStep = 1'000'000;
// Events sent in an idle moment.
constexpr size_t kEventsPerStep = 16;

/// Whether a change of a pending pod may let it fit: not the conditions we write ourselves.
bool MayFitNow(const core_v1::Pod& before, const core_v1::Pod& after) {
  return !(before.spec == after.spec) || before.metadata.labels != after.metadata.labels ||
         !(before.status.resource_claim_statuses == after.status.resource_claim_statuses);
}

}  // namespace

Scheduler::Scheduler(client::Client& client, World& world, Log log, Options options)
    : client_(client),
      world_(world),
      log_(std::move(log)),
      options_(std::move(options)),
      reporter_(client,
                world,
                log_,
                options_.reports_elsewhere ? Reporter::Place::kElsewhere : Reporter::Place::kHere),
      queue_(options_.configuration.queue),
      cluster_({.features = options_.features,
                .selectors = options_.selectors,
                .taint_rules = options_.taint_rules,
                .extended_resources = options_.extended_resources,
                .node_allocatable = options_.node_allocatable,
                .pod_groups = options_.pod_groups}),
      feed_(client, world, loop_.wakeup(), log_, cluster_),
      tasks_(options_.bindings_max),
      outcomes_(options_.bindings_max) {
  cluster_.OnEvent([this](ClusterEvent event) { queue_.MoveOnEvent(event, Now()); });
  ClusterObjects& objects = cluster_.objects();
  objects.claims.OnChange([this](auto* before, auto* after) { OnClaim(before, after); });
  objects.pods.OnChange([this](auto* before, auto* after) { OnPod(before, after); });
  objects.groups.OnChange([this](auto* before, auto* after) { OnGroup(before, after); });
  if (options_.classic != ClassicClaims::kNone) {
    const ClassicScheduling::Options classic{.generation = options_.classic, .queue = &queue_};
    classic_.emplace(client, world, loop_.wakeup(), log_, classic);
  }
  // Drivers' own controllers know why they give nothing; nobody else does.
  if (options_.explain && !classic_.has_value()) FollowUnfitPods();
}

Scheduler::~Scheduler() {
  Stop();
}

void Scheduler::Run() {
  loop_.Run(world_.clock, [this] { return Step(); });
}

void Scheduler::RunReporter() {
  reporter_.Run();
}

void Scheduler::Stop() {
  stopping_ = true;
  loop_.Stop();
  tasks_.Close();
  reporter_.Stop();
  if (reports_.has_value()) reports_->Stop();
}

std::optional<MonotonicTime> Scheduler::Step() {
  std::optional<MonotonicTime> next = feed_.Step();
  bool synced = feed_.synced();
  if (classic_.has_value()) {
    next = client::Earlier(next, classic_->Step());
    synced = synced && classic_->synced();
  }
  while (std::optional<BindOutcome> outcome = outcomes_.TryPop()) {
    --bindings_;
    FinishBinding(*std::move(outcome));
  }
  next = client::Earlier(next, AskAboutUnknown());
  next = client::Earlier(next, GoOnWithWaiting());
  // Deciding with half a picture would give devices away twice.
  if (!synced) return next;
  for (uint64_t work = 0; work < kWorkPerStep && !loop_.stopping();) {
    const MonotonicTime now = Now();
    const std::optional<std::string> pod = queue_.Pop(now);
    if (!pod) break;
    ScheduleOne(*pod, now);
    work += ChargeAttempt(*pod);
  }
  if (options_.metrics != nullptr) {
    options_.metrics->SetSizes(queue_.sizes(),
                               {.nodes = cluster_.objects().nodes.objects().size(),
                                .pods = cluster_.objects().pods.objects().size(),
                                .assumed_pods = cluster_.assumed_pods()});
  }
  const MonotonicTime now = Now();
  next = client::Earlier(next, queue_.Next(now));
  next = client::Earlier(next, ExplainUnfitPods());
  if (next && *next <= now) return next;
  return reporter_.Send(kEventsPerStep) ? now : next;
}

// ------------------------------------------------------------------------------------------------
// Changes in the cluster.

const Profile* Scheduler::ProfileOf(const core_v1::Pod& pod) const {
  static const std::string kUsual = Profile{}.name;
  const std::string& name = pod.spec.scheduler_name.empty() ? kUsual : pod.spec.scheduler_name;
  const std::vector<Profile>& profiles = options_.configuration.profiles;
  const auto found = std::ranges::find(profiles, name, &Profile::name);
  return found == profiles.end() ? nullptr : &*found;
}

/// Who says what is said about one of our pods.
const std::string& Scheduler::NameFor(const api::Object& pod) const {
  const Profile* profile = ProfileOf(pod.As<core_v1::Pod>());
  return profile == nullptr ? options_.configuration.profiles.front().name : profile->name;
}

void Scheduler::OnPod(const api::Object* before, const api::Object* after) {
  const auto& pod = (after != nullptr ? after : before)->As<core_v1::Pod>();
  if (after == nullptr || !pod.spec.node_name.empty()) {
    waiting_.Remove(pod.metadata.uid);
    return Dequeue(pod);
  }
  if (cluster_.IsAssumed(pod.metadata.uid)) {
    if (pod.metadata.deletion_timestamp) waiting_.Stir(pod.metadata.uid);
    return;
  }
  if (ProfileOf(pod) == nullptr || api::pods::HasEnded(pod) || pod.metadata.deletion_timestamp ||
      !pod.spec.scheduling_gates.empty()) {
    return Dequeue(pod);
  }
  if (before != nullptr && !MayFitNow(before->As<core_v1::Pod>(), pod)) return;
  Enqueue(pod);
}

// Freed devices may help any pod (ClusterCache); other changes only the pods of the claim; its
// finalizer nobody.
void Scheduler::OnClaim(const api::Object* before, const api::Object* after) {
  waiting_.ClaimChanged(before, after);
  if (before != nullptr && after != nullptr && !IsDrivers(*after) &&
      before->As<resource_v1::ResourceClaim>().status ==
          after->As<resource_v1::ResourceClaim>().status) {
    return;
  }
  queue_.MoveOnClaimChange(api::ObjectKey((after != nullptr ? after : before)->metadata()), Now());
}

// ------------------------------------------------------------------------------------------------
// One attempt.

void Scheduler::ScheduleOne(const std::string& key, MonotonicTime now) {
  BeginWork(key, 1);
  if (IsGroupEntry(key)) return ScheduleGroup(key, now);
  const api::Object* found = cluster_.FindPod(key);
  if (found == nullptr || found->metadata().deletion_timestamp) return queue_.Remove(key);
  const api::Object pod = *found;
  const auto resolved = ResolveClaims(pod.As<core_v1::Pod>(),
                                      [this](std::string_view claim) { return FindClaim(claim); });
  if (const auto* gated = std::get_if<Gated>(&resolved)) {
    log_.Debug("pod waits for its claims", "pod", key, "reason", gated->message);
    return queue_.Gate(
        key, {.events = {}, .claims = api::claims::KeysOf(pod.As<core_v1::Pod>())}, now);
  }
  const auto& claims = std::get<std::vector<api::Object>>(resolved);
  if (classic_.has_value() && std::ranges::any_of(claims, IsDrivers)) {
    return ScheduleClassic(key, pod, claims);
  }
  const MonotonicTime began = Now();
  Decision decision = SchedulePod(pod.As<core_v1::Pod>(), claims);
  if (options_.metrics != nullptr) options_.metrics->ObserveDecision(SecondsBetween(began, Now()));
  if (auto* placement = std::get_if<Placement>(&decision)) {
    return Reserve(pod, claims, std::move(*placement));
  }
  if (auto* nowhere = std::get_if<Unschedulable>(&decision)) {
    return HandleUnschedulable(key, pod, claims, std::move(*nowhere));
  }
  if (stopping_) return;  // which ends the search
  HandleFailure(key, pod, std::get<AttemptFailed>(decision));
}

Decision Scheduler::SchedulePod(const core_v1::Pod& pod,
                                std::span<const api::Object> claims,
                                const AsMember& member,
                                const OtherClaims* others) {
  const Profile& profile = *ProfileOf(pod);
  if (!work_.has_value()) BeginWork({}, 1);
  return TryPod(cluster_,
                pod,
                claims,
                {.profile = profile,
                 .budget = BudgetFor(profile),
                 .cycle = options_.cycle,
                 .now = world_.clock.Now(),
                 .first_node = first_node_,
                 .member = member,
                 .others = others,
                 .tells_too_much = !classic_.has_value()});
}

/// Adds the claim to the task; its devices are in flight from now on.
void Scheduler::Hold(BindTask& task, ClaimToBind claim) {
  const auto& allocated = claim.claim.As<resource_v1::ResourceClaim>().status.allocation;
  const auto& chosen = claim.allocation ? claim.allocation : allocated;
  if (claim.allocation) {
    std::string hold =
        HoldOf(task.pod.As<core_v1::Pod>(), claim.claim.As<resource_v1::ResourceClaim>());
    // Decide refuses claims in flight, and each claim is here once, but for those that pods of a
    // group share.
    const bool is_new = cluster_.taken().Reserve(hold, *claim.allocation);
    DRAY_CHECK(is_new || claim.is_pending);
    if (!is_new) cluster_.taken().Share(hold);
    task.holds.push_back(std::move(hold));
  }
  task.waits =
      task.waits || (options_.features.device_binding_and_status && HasBindingConditions(*chosen));
  task.claims.push_back(std::move(claim));
}

BindTask Scheduler::BeginTask(const api::Object& pod, const Placement& placement) {
  BindTask task{.pod_key = api::ObjectKey(pod.metadata()),
                .pod = pod,
                .node = placement.node,
                .claims = {},
                .allocated_at = std::nullopt};
  if (options_.features.device_binding_and_status) {
    task.allocated_at = api::Time::Of(world_.clock.Now());
  }
  return task;
}

void Scheduler::Reserve(const api::Object& pod,
                        std::span<const api::Object> claims,
                        Placement placement) {
  first_node_ = placement.next_first_node;
  BindTask task = BeginTask(pod, placement);
  for (size_t i = 0; i < claims.size(); ++i) {
    Hold(task, {.claim = claims[i], .allocation = std::move(placement.allocations[i])});
  }
  Assume(std::move(task), std::move(placement));
}

/// Holds what is left of the placement, and starts to write all of it.
void Scheduler::Assume(BindTask task, Placement placement) {
  if (placement.extended.has_value()) {
    task.extended_mappings = std::move(placement.extended->mappings);
    Hold(task,
         {.claim = api::Object::Of(std::move(placement.extended->claim)),
          .allocation = std::move(placement.extended->allocation),
          .is_extended = true});
  }
  const auto& pod = task.pod.As<core_v1::Pod>();
  if (options_.metrics != nullptr) stories_[pod.metadata.uid] = queue_.StoryOf(EntryOf(pod));
  cluster_.AssumePod(task.pod, placement.node, placement.taken);
  task.taken = std::move(placement.taken);
  StartBinding(std::move(task));
}

void Scheduler::HandleFailure(const std::string& key,
                              const api::Object& pod,
                              const std::string& message) {
  queue_.AddBackoff(key, Now());
  log_.Warning("attempt failed", "pod", key, "error", message);
  RecordFailure(pod, {.reason = "SchedulerError", .message = message, .nomination = ""});
}

void Scheduler::Count(AttemptResult result, const api::Object& pod, const QueueStory& story) {
  if (options_.metrics == nullptr) return;
  const Profile* const profile = ProfileOf(pod.As<core_v1::Pod>());
  if (story.attempts == 0 || profile == nullptr) return;  // somebody else's by now
  const MonotonicTime now = Now();
  options_.metrics->CountAttempt(result, profile->name, SecondsBetween(story.tried, now));
  if (result != AttemptResult::kScheduled) return;
  options_.metrics->CountScheduled(story.attempts, SecondsBetween(story.came, now));
}

void Scheduler::RecordFailure(const api::Object& pod, const WhyNotScheduled& why) {
  const bool fits_nowhere = why.reason == "Unschedulable";
  Count(fits_nowhere ? AttemptResult::kUnschedulable : AttemptResult::kError,
        pod,
        queue_.StoryOf(EntryOf(pod.As<core_v1::Pod>())));
  reporter_.Record(pod,
                   {.type = client::EventType::kWarning,
                    .reason = "FailedScheduling",
                    .message = why.message,
                    .action = "Scheduling",
                    .component = NameFor(pod)});
  if (reports_.has_value() && fits_nowhere && AsksForDevices(pod.As<core_v1::Pod>()))
    reports_->Note(pod, Now());
  const api::Object* found = cluster_.FindPod(api::ObjectKey(pod.metadata()));
  const api::Object newest = found == nullptr ? pod : *found;
  // A nomination counts from now on, so this thread writes it.
  const std::string& nominated = newest.As<core_v1::Pod>().status.nominated_node_name;
  const bool is_nomination = why.nomination.value_or(nominated) != nominated;
  if (reporter_.is_elsewhere() && !is_nomination) {
    if (newest.metadata().uid == pod.metadata().uid) reporter_.Tell(newest, why);
    return;
  }
  const Result<api::Object> written = TellWhyNotScheduled(
      client_, newest, pod.metadata().uid, why, api::Time::Of(world_.clock.Now()));
  if (written) {
    feed_.Assume(*written);
  } else if (written.error().reason != StatusReason::kNotFound) {
    log_.Warning("cannot tell why a pod waits",
                 "pod",
                 pod.metadata().name,
                 "error",
                 written.error().message);
  }
}

}  // namespace dray::scheduler
