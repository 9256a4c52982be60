// SPDX-License-Identifier: Apache-2.0
// One thread owns all state. An attempt is synchronous, so nothing changes between decision and
// reservation. Other threads may write the placement (binder.h).
#include "scheduler/scheduler.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "api/claims/pod_claims.h"
#include "api/pods/life.h"
#include "api/resource_v1/claim.h"
#include "scheduler/cycle/pod_claims.h"
#include "scheduler/plugins/table.h"

namespace dray::scheduler {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;

// The work of attempts, except the last, before the informers run again: a more urgent pod may have
// arrived meanwhile.
constexpr uint64_t kWorkPerStep = 1'000'000;
// The most events sent in an idle step.
constexpr size_t kEventsPerStep = 16;

/// Whether a change of a pending pod may let it fit; false for conditions that the scheduler
/// writes.
bool MayFitNow(const core_v1::Pod& before, const core_v1::Pod& after) {
  return !(before.spec == after.spec) || before.metadata.labels != after.metadata.labels ||
         !(before.status.resource_claim_statuses == after.status.resource_claim_statuses);
}

}  // namespace

Scheduler::Scheduler(client::Client& client, World& world, Log log, Options options)
    : world_(world),
      log_(std::move(log)),
      options_(std::move(options)),
      queue_(options_.configuration.queue),
      cluster_({.features = options_.features,
                .selectors = options_.selectors,
                .taint_rules = options_.taint_rules,
                .extended_resources = options_.extended_resources,
                .node_allocatable = options_.node_allocatable,
                .pod_groups = options_.pod_groups}),
      feed_(client, world, loop_.wakeup(), log_, cluster_),
      claims_({.client = client,
               .world = world,
               .wakeup = loop_.wakeup(),
               .log = log_,
               .cluster = cluster_,
               .feed = feed_,
               .queue = queue_},
              options_.classic),
      pending_(
          {.queue = queue_,
           .cluster = cluster_,
           .configuration = options_.configuration,
           .clock = world.clock},
          options_.pod_groups ? PendingPods::Groups::kTogether : PendingPods::Groups::kIgnored),
      reporter_(client,
                world,
                log_,
                options_.reports_elsewhere ? Reporter::Place::kElsewhere : Reporter::Place::kHere),
      outcomes_({.client = client,
                 .clock = world.clock,
                 .log = log_,
                 .configuration = options_.configuration,
                 .cluster = cluster_,
                 .feed = feed_,
                 .queue = queue_,
                 .pending = pending_,
                 .reporter = reporter_,
                 .metrics = options_.metrics,
                 .unfit = BeginUnfitReports()}),
      decider_({.cluster = cluster_,
                .queue = queue_,
                .configuration = options_.configuration,
                .clock = world.clock,
                .cancelled = stopping_},
               {.cycle = options_.cycle,
                .too_much_is_unresolvable = options_.classic == ClassicClaims::kNone}),
      evictor_(
          {.client = client,
           .clock = world.clock,
           .log = log_,
           .cluster = cluster_,
           .claims = claims_,
           .reporter = reporter_,
           .metrics = options_.metrics},
          options_.group_claims ? Evictor::GroupClaims::kShared : Evictor::GroupClaims::kOfPods),
      unplaced_({.clock = world.clock,
                 .log = log_,
                 .configuration = options_.configuration,
                 .queue = queue_,
                 .claims = claims_,
                 .decider = decider_,
                 .evictor = evictor_,
                 .outcomes = outcomes_,
                 .metrics = options_.metrics}),
      binder_({.client = client,
               .clock = world.clock,
               .log = log_,
               .loop = loop_,
               .configuration = options_.configuration,
               .cluster = cluster_,
               .feed = feed_,
               .outcomes = outcomes_},
              {.bindings_max = options_.bindings_max,
               .ask_again = options_.ask_again,
               .on_end = [this](const BindOutcome& outcome) { OnBindingEnd(outcome); }}),
      groups_({.client = client,
               .clock = world.clock,
               .log = log_,
               .configuration = options_.configuration,
               .cluster = cluster_,
               .feed = feed_,
               .queue = queue_,
               .pending = pending_,
               .decider = decider_,
               .binder = binder_,
               .evictor = evictor_,
               .outcomes = outcomes_,
               .cancelled = stopping_},
              {.group_claims = options_.group_claims, .group_topology = options_.group_topology}) {
  cluster_.OnEvent([this](ClusterEvent event) { queue_.MoveOnEvent(event, Now()); });
  ClusterObjects& objects = cluster_.objects();
  objects.claims.OnChange([this](auto* before, auto* after) { OnClaim(before, after); });
  objects.pods.OnChange([this](auto* before, auto* after) { OnPod(before, after); });
  objects.groups.OnChange(
      [this](auto* before, auto* after) { pending_.GroupChanged(before, after); });
  if (claims_.classic() == nullptr) return;
  classic_.emplace(ClassicScheduler::Uses{.clock = world.clock,
                                          .cluster = cluster_,
                                          .queue = queue_,
                                          .claims = claims_,
                                          .classic = *claims_.classic(),
                                          .decider = decider_,
                                          .binder = binder_,
                                          .unplaced = unplaced_,
                                          .outcomes = outcomes_});
}

/// Null: missing devices are not explained.
UnfitReporter* Scheduler::BeginUnfitReports() {
  // Only drivers' own controllers know why they allocate nothing.
  if (!options_.explain || claims_.classic() != nullptr) return nullptr;
  using Place = UnfitReports::Place;
  const UnfitReporter::Uses uses{.cluster = cluster_,
                                 .reporter = reporter_,
                                 .configuration = options_.configuration,
                                 .clock = world_.clock,
                                 .cancelled = stopping_};
  return &unfit_.emplace(uses,
                         options_.explain,
                         options_.explains_elsewhere ? Place::kElsewhere : Place::kHere,
                         loop_.wakeup());
}

Scheduler::~Scheduler() {
  Stop();
}

void Scheduler::Run() {
  loop_.Run(world_.clock, [this] { return Step(); });
}

void Scheduler::RunBinder() {
  binder_.Run();
}

void Scheduler::RunExplainer() {
  if (unfit_.has_value()) unfit_->Run();
}

void Scheduler::RunReporter() {
  reporter_.Run();
}

void Scheduler::Stop() {
  stopping_ = true;
  loop_.Stop();
  binder_.Stop();
  reporter_.Stop();
  if (unfit_.has_value()) unfit_->Stop();
}

std::optional<MonotonicTime> Scheduler::Step() {
  std::optional<MonotonicTime> next = feed_.Step();
  next = client::Earlier(next, claims_.Step());
  const bool synced = feed_.synced() && claims_.synced();
  next = client::Earlier(next, binder_.Step());
  // A decision before the first sync could give devices to a second claim.
  if (!synced) return next;
  for (uint64_t work = 0; work < kWorkPerStep && !loop_.stopping();) {
    const MonotonicTime now = Now();
    const std::optional<std::string> entry = queue_.Pop(now);
    if (!entry) break;
    ScheduleOne(*entry, now);
    work += decider_.Charge(*entry);
  }
  ReportSizes();
  const MonotonicTime now = Now();
  next = client::Earlier(next, queue_.Next(now));
  if (unfit_.has_value()) next = client::Earlier(next, unfit_->Step(decider_.first_node()));
  if (next && *next <= now) return next;
  return reporter_.Send(kEventsPerStep) ? now : next;
}

void Scheduler::ReportSizes() {
  if (options_.metrics == nullptr) return;
  options_.metrics->SetSizes(queue_.sizes(),
                             {.nodes = cluster_.objects().nodes.objects().size(),
                              .pods = cluster_.objects().pods.objects().size(),
                              .assumed_pods = cluster_.assumed_pods()});
}

// ------------------------------------------------------------------------------------------------
// Changes in the cluster.

void Scheduler::OnPod(const api::Object* before, const api::Object* after) {
  const auto& pod = (after != nullptr ? after : before)->As<core_v1::Pod>();
  if (after == nullptr || !pod.spec.node_name.empty()) {
    binder_.PodIsDone(pod.metadata.uid);
    return StopWaitingFor(pod);
  }
  if (cluster_.IsAssumed(pod.metadata.uid)) {
    if (pod.metadata.deletion_timestamp) binder_.PodIsGoing(pod.metadata.uid);
    return;
  }
  if (ProfileOf(options_.configuration, pod) == nullptr || api::pods::HasEnded(pod) ||
      pod.metadata.deletion_timestamp || !MayEnqueue(pod)) {
    return StopWaitingFor(pod);
  }
  if (before != nullptr && !MayFitNow(before->As<core_v1::Pod>(), pod)) return;
  pending_.Add(pod);
}

/// The pod does not need a node any more.
void Scheduler::StopWaitingFor(const core_v1::Pod& pod) {
  if (unfit_.has_value()) unfit_->Forget(pod.metadata.uid);
  pending_.Remove(pod);
}

// Freed devices may help any pod (ClusterCache). Other changes of a claim help only its own pods; a
// change of its finalizer helps none.
void Scheduler::OnClaim(const api::Object* before, const api::Object* after) {
  const api::Object* const either = after != nullptr ? after : before;
  if (either == nullptr) return;
  binder_.ClaimChanged(before, after);
  if (before != nullptr && after != nullptr && !IsDrivers(*after) &&
      before->As<resource_v1::ResourceClaim>().status ==
          after->As<resource_v1::ResourceClaim>().status) {
    return;
  }
  queue_.MoveOnClaimChange(api::ObjectKey(either->metadata()), Now());
}

void Scheduler::OnBindingEnd(const BindOutcome& outcome) {
  const auto& pod = outcome.pod.As<core_v1::Pod>();
  if (outcome.error.empty()) {
    StopWaitingFor(pod);
    if (claims_.classic() != nullptr) claims_.classic()->EndDialogue(outcome.pod);
    return outcomes_.ReportBound(outcome.pod, outcome.node);
  }
  outcomes_.DropStory(pod.metadata.uid);
  // If the pod was deleted or another scheduler has bound it meanwhile, drop it.
  const bool still_ours = cluster_.ForgetPod(pod.metadata.uid);
  // The holds of this attempt may have made other pods unschedulable.
  queue_.MoveOnEvent(ClusterEvent::kDevices, Now());
  queue_.MoveOnEvent(ClusterEvent::kAssignedPods, Now());
  if (!still_ours) return;
  const api::Object* known = cluster_.FindPod(outcome.pod_key);
  if (known != nullptr && known->metadata().deletion_timestamp) return StopWaitingFor(pod);
  if (claims_.classic() != nullptr) claims_.DropReservations(outcome.pod);
  const std::string entry = pending_.EntryOf(pod);
  if (entry != outcome.pod_key) pending_.Add(pod);
  unplaced_.HandleFailure(entry, outcome.pod, outcome.error);
}

// ------------------------------------------------------------------------------------------------
// One attempt.

void Scheduler::ScheduleOne(const std::string& entry, MonotonicTime now) {
  decider_.Begin(entry, 1);
  return IsGroupEntry(entry) ? groups_.Schedule(entry, now) : SchedulePod(entry, now);
}

void Scheduler::SchedulePod(const std::string& key, MonotonicTime now) {
  const api::Object* found = cluster_.FindPod(key);
  if (found == nullptr || found->metadata().deletion_timestamp) return queue_.Remove(key);
  const api::Object pod = *found;
  const auto resolved = ResolveClaims(
      pod.As<core_v1::Pod>(), [this](std::string_view claim) { return claims_.Find(claim); });
  if (const auto* gated = std::get_if<Gated>(&resolved)) {
    log_.Debug("pod waits for its claims", "pod", key, "reason", gated->message);
    return queue_.Gate(
        key, {.events = {}, .claims = api::claims::KeysOf(pod.As<core_v1::Pod>())}, now);
  }
  const auto& claims = std::get<std::vector<api::Object>>(resolved);
  if (classic_.has_value() && std::ranges::any_of(claims, IsDrivers)) {
    if (classic_->Schedule(key, pod, claims) == ClassicScheduler::Next::kDone) return;
    return ScheduleOne(key, Now());
  }
  const MonotonicTime began = Now();
  Decision decision = decider_.Decide(pod.As<core_v1::Pod>(), claims);
  if (options_.metrics != nullptr) options_.metrics->ObserveDecision(SecondsBetween(began, Now()));
  if (auto* placement = std::get_if<Placement>(&decision)) {
    decider_.GoOnAfter(*placement);
    return binder_.Place(pod, claims, std::move(*placement));
  }
  if (auto* nowhere = std::get_if<Unschedulable>(&decision)) {
    return unplaced_.HandleUnschedulable(key, pod, claims, std::move(*nowhere));
  }
  if (stopping_) return;  // stopping has ended the search
  unplaced_.HandleFailure(key, pod, std::get<AttemptFailed>(decision));
}

}  // namespace dray::scheduler
