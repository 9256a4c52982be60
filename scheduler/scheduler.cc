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

// Pods tried before the informers are looked at again.
constexpr size_t kPodsPerStep = 16;
// Events sent in an idle moment.
constexpr size_t kEventsPerStep = 16;

/// Whether a change of a pending pod may let it fit: not the conditions we write ourselves.
bool MayFitNow(const core_v1::Pod& before, const core_v1::Pod& after) {
  return !(before.spec == after.spec) || before.metadata.labels != after.metadata.labels ||
         !(before.status.resource_claim_statuses == after.status.resource_claim_statuses);
}

bool MayHostNow(const core_v1::Node& before, const core_v1::Node& after) {
  return !(before.spec == after.spec) || before.metadata.labels != after.metadata.labels ||
         !(before.status.allocatable == after.status.allocatable);
}

/// Where the search begins: at the nominated node, if there is one.
size_t FirstNode(std::span<const NodeState* const> nodes,
                 std::string_view nominated,
                 size_t otherwise) {
  if (nominated.empty()) return otherwise;
  const auto found = std::ranges::find_if(
      nodes, [&](const NodeState* node) { return node->value().metadata.name == nominated; });
  return found == nodes.end() ? otherwise : static_cast<size_t>(found - nodes.begin());
}

bool IsAllocated(const api::Object* claim) {
  return claim != nullptr && claim->As<resource_v1::ResourceClaim>().status.allocation.has_value();
}

}  // namespace

Scheduler::Scheduler(client::Client& client, World& world, Log log, Options options)
    : client_(client),
      world_(world),
      log_(std::move(log)),
      options_(std::move(options)),
      events_(client, world, "default-scheduler", log_),
      queue_(options_.configuration.queue),
      tainted_(options_.taint_rules.value_or(api::Release::kNewest)),
      devices_({.features = options_.features, .selectors = options_.selectors}),
      tasks_(options_.bindings_max),
      outcomes_(options_.bindings_max),
      nodes_informer_(
          client, api::Reflected<core_v1::Node>::kKind, world.clock, loop_.wakeup(), log_),
      classes_(client,
               api::Reflected<resource_v1::DeviceClass>::kKind,
               world.clock,
               loop_.wakeup(),
               log_),
      slices_(client,
              api::Reflected<resource_v1::ResourceSlice>::kKind,
              world.clock,
              loop_.wakeup(),
              log_),
      claims_(client,
              api::Reflected<resource_v1::ResourceClaim>::kKind,
              world.clock,
              loop_.wakeup(),
              log_),
      pods_(client, api::Reflected<core_v1::Pod>::kKind, world.clock, loop_.wakeup(), log_),
      namespaces_(
          client, api::Reflected<core_v1::Namespace>::kKind, world.clock, loop_.wakeup(), log_),
      budgets_(client,
               api::Reflected<api::policy_v1::PodDisruptionBudget>::kKind,
               world.clock,
               loop_.wakeup(),
               log_),
      volumes_(client, world, loop_.wakeup(), log_, queue_),
      collections_(client, world, loop_.wakeup(), log_) {
  DRAY_CHECK(options_.selectors != nullptr);
  nodes_informer_.OnChange([this](auto* before, auto* after) { OnNode(before, after); });
  extended_by_pod_ = claims_.AddIndex([](const api::Object& claim, auto& values) {
    if (std::string uid = api::claims::PodOfExtendedClaim(claim.metadata()).uid; !uid.empty()) {
      values.push_back(std::move(uid));
    }
  });
  classes_.OnChange([this](auto* before, auto* after) {
    extended_.SetClass(
        (after != nullptr ? after : before)->metadata().name,
        after == nullptr ? nullptr : &after->template As<resource_v1::DeviceClass>());
    if (after != nullptr) {
      device_changes_.emplace_back(api::FrozenOf<resource_v1::DeviceClass>(*after));
    } else {
      device_changes_.emplace_back(allocator::ClassRemoved{before->metadata().name});
    }
    queue_.MoveOnEvent(ClusterEvent::kClasses, Now());
  });
  slices_.OnChange([this](auto* before, auto* after) { OnSlice(before, after); });
  claims_.OnChange([this](auto* before, auto* after) { OnClaim(before, after); });
  pods_.OnChange([this](auto* before, auto* after) { OnPod(before, after); });
  pods_by_volume_claim_ = pods_.AddIndex([](const api::Object& pod, auto& values) {
    std::ranges::move(VolumeClaimsOf(pod.As<core_v1::Pod>()), std::back_inserter(values));
  });
  if (options_.classic != ClassicClaims::kNone) {
    const ClassicScheduling::Options classic{.generation = options_.classic, .queue = &queue_};
    classic_.emplace(client, world, loop_.wakeup(), log_, classic);
  }
  if (options_.pod_groups) FollowGroups();
  // Drivers' own controllers know why they give nothing; nobody else does.
  if (options_.explain && !classic_.has_value()) FollowUnfitPods();
  if (!options_.taint_rules.has_value()) return;
  taint_rules_.emplace(client,
                       api::Reflected<resource_v1::DeviceTaintRule>::kKind,
                       world.clock,
                       loop_.wakeup(),
                       log_);
  taint_rules_->OnChange([this](auto* before, auto* after) { OnTaintRule(before, after); });
}

Scheduler::~Scheduler() {
  Stop();
}

void Scheduler::Run() {
  loop_.Run(world_.clock, [this] { return Step(); });
}

void Scheduler::Stop() {
  stopping_ = true;
  loop_.Stop();
  tasks_.Close();
  if (reports_.has_value()) reports_->Stop();
}

std::optional<MonotonicTime> Scheduler::Step() {
  std::optional<MonotonicTime> next;
  bool synced = true;
  // Pods first: all that was delivered before a pod is then known when the pod is tried.
  for (client::Informer* informer :
       {&pods_, &nodes_informer_, &namespaces_, &classes_, &slices_, &claims_, &budgets_}) {
    next = client::Earlier(next, informer->Step());
    synced = synced && informer->synced();
  }
  for (std::optional<client::Informer>* informer : {&taint_rules_, &groups_}) {
    if (!informer->has_value()) continue;
    next = client::Earlier(next, (*informer)->Step());
    synced = synced && (*informer)->synced();
  }
  next = client::Earlier(next, client::Earlier(volumes_.Step(), collections_.Step()));
  synced = synced && volumes_.synced() && collections_.synced();
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
  for (size_t i = 0; i < kPodsPerStep && !loop_.stopping(); ++i) {
    const MonotonicTime now = Now();
    const std::optional<std::string> pod = queue_.Pop(now);
    if (!pod) break;
    ScheduleOne(*pod, now);
    if (work_.has_value() && work_->is_spent()) break;  // that took long: what has come meanwhile?
  }
  if (options_.metrics != nullptr) {
    options_.metrics->SetSizes(queue_.sizes(),
                               {.nodes = nodes_informer_.objects().size(),
                                .pods = pods_.objects().size(),
                                .assumed_pods = assumed_.size()});
  }
  const MonotonicTime now = Now();
  next = client::Earlier(next, queue_.Next(now));
  next = client::Earlier(next, ExplainUnfitPods());
  if (next && *next <= now) return next;
  return events_.Send(kEventsPerStep) ? now : next;
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
  use_.DropNominee(pod.metadata.uid);
  if (after == nullptr) {
    assumed_.erase(pod.metadata.uid);
    waiting_.Remove(pod.metadata.uid);
    Dequeue(pod);
    if (use_.DropPod(pod.metadata.uid)) queue_.MoveOnEvent(ClusterEvent::kAssignedPods, Now());
    return;
  }
  if (!pod.spec.node_name.empty()) {
    assumed_.erase(pod.metadata.uid);
    waiting_.Remove(pod.metadata.uid);
    Dequeue(pod);
    if (!api::pods::HasEnded(pod)) {
      if (!use_.IsOn(pod.metadata.uid, pod.spec.node_name)) {
        use_.SetPod(pod,
                    pod.spec.node_name,
                    pod.status.node_allocatable_resource_claim_statuses,
                    AffinityRules::Of(*after));
      }
      return queue_.MoveOnEvent(ClusterEvent::kPlacedPods, Now());
    }
    if (use_.DropPod(pod.metadata.uid)) queue_.MoveOnEvent(ClusterEvent::kAssignedPods, Now());
    return;
  }
  if (!api::pods::HasEnded(pod) && !pod.metadata.deletion_timestamp) use_.SetNominee(pod);
  if (assumed_.contains(pod.metadata.uid)) {
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

void Scheduler::OnClaim(const api::Object* before, const api::Object* after) {
  const api::Object& object = after != nullptr ? *after : *before;
  const auto* claim = after == nullptr ? nullptr : &after->As<resource_v1::ResourceClaim>();
  taken_.SetClaim(object.metadata().uid, claim);
  waiting_.ClaimChanged(before, after);
  const MonotonicTime now = Now();
  // Freed devices may help any pod; other changes only the pods of the claim; its finalizer nobody.
  if (IsAllocated(before) && !IsAllocated(after)) queue_.MoveOnEvent(ClusterEvent::kDevices, now);
  if (before != nullptr && claim != nullptr &&
      before->As<resource_v1::ResourceClaim>().status == claim->status && !IsDrivers(*after)) {
    return;
  }
  queue_.MoveOnClaimChange(api::ObjectKey(object.metadata()), now);
}

void Scheduler::OnNode(const api::Object* before, const api::Object* after) {
  const std::string& name = (after != nullptr ? after : before)->metadata().name;
  use_.SetNode(name, after);
  if (after == nullptr) return;
  const auto& node = after->As<core_v1::Node>();
  if (before == nullptr || MayHostNow(before->As<core_v1::Node>(), node)) {
    queue_.MoveOnEvent(ClusterEvent::kNodes, Now());
  }
}

void Scheduler::OnSlice(const api::Object* before, const api::Object* after) {
  const std::string& name = (after != nullptr ? after : before)->metadata().name;
  const Frozen<resource_v1::ResourceSlice> slice =
      after == nullptr ? nullptr : api::FrozenOf<resource_v1::ResourceSlice>(*after);
  device_changes_.push_back(tainted_.SetSlice(name, slice));
  if (options_.node_allocatable) node_allocatable_.SetSlice(name, slice);
  queue_.MoveOnEvent(ClusterEvent::kDevices, Now());
}

void Scheduler::OnTaintRule(const api::Object* before, const api::Object* after) {
  const std::string& name = (after != nullptr ? after : before)->metadata().name;
  std::vector<allocator::ClusterChange> changes = tainted_.SetRule(
      name, after == nullptr ? nullptr : api::FrozenOf<resource_v1::DeviceTaintRule>(*after));
  if (changes.empty()) return;
  std::ranges::move(changes, std::back_inserter(device_changes_));
  queue_.MoveOnEvent(ClusterEvent::kDevices, Now());
}

const allocator::Snapshot& Scheduler::Devices() {
  if (!device_changes_.empty()) {
    devices_ = devices_.With(device_changes_);
    device_changes_.clear();
  }
  taken_.BringUpToDate(devices_);
  return devices_;
}

// ------------------------------------------------------------------------------------------------
// One attempt.

void Scheduler::ScheduleOne(const std::string& key, MonotonicTime now) {
  BeginWork(key, 1);
  if (IsGroupEntry(key)) return ScheduleGroup(key, now);
  const api::Object* found = pods_.Find(key);
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

/// Members of one group are placed anew, wherever there was to be room for them.
std::vector<const NodeState*> Scheduler::NodesFor(const core_v1::Pod& pod,
                                                  const PlacedSoFar* placed,
                                                  std::deque<NodeState>& copies) {
  const std::string group = placed == nullptr ? std::string() : api::claims::PodGroupKeyOf(pod);
  return use_.NodesFor(
      pod,
      [&](std::string_view uid, std::string_view key) {
        if (assumed_.contains(uid)) return true;
        const api::Object* nominee = group.empty() ? nullptr : pods_.Find(key);
        return nominee != nullptr &&
               api::claims::PodGroupKeyOf(nominee->As<core_v1::Pod>()) == group;
      },
      copies);
}

Decision Scheduler::SchedulePod(const core_v1::Pod& pod,
                                std::span<const api::Object> claims,
                                const AsMember& member,
                                const OtherClaims* others) {
  const Profile& profile = *ProfileOf(pod);
  if (!work_.has_value()) BeginWork({}, 1);
  const allocator::Budget budget = BudgetFor(profile);
  const allocator::Snapshot& devices = Devices();
  std::deque<allocator::Attempt> attempts;
  std::deque<NodeState> copies;
  const PlacedSoFar* placed = member.placed;
  std::vector<const NodeState*> nodes = NodesFor(pod, placed, copies);
  if (placed != nullptr) placed->PutOn(nodes, copies);
  const std::vector<const NodeState*> candidates =
      member.domain == nullptr ? nodes : Among(nodes, *member.domain);
  const VolumeNeeds volumes = volumes_.NeedsOf(
      pod, [&](std::string_view claim) { return IsVolumeClaimUsed(claim, pod.metadata.uid); });
  ClusterView view{
      .nodes = candidates,
      .neighbourhood = nodes,
      .first_node = FirstNode(candidates,
                              pod.status.nominated_node_name,
                              placed == nullptr ? first_node_ : placed->first_node()),
      .in_flight = [this](std::string_view uid) { return taken_.in_flight(uid); },
      .has_class = [this](std::string_view name) { return classes_.Find(name) != nullptr; },
      .search =
          [&](std::span<const Frozen<resource_v1::ResourceClaim>> wanted) {
            attempts.emplace_back(devices, wanted);
            return [budget, attempt = &attempts.back()](const core_v1::Node& node) {
              return attempt->Allocate(node, budget);
            };
          },
      .now = world_.clock.Now(),
      .volumes = &volumes,
      .spread_defaults = &profile.spread,
      .other_claims = others,
      .tells_too_much = !classic_.has_value()};
  if (others != nullptr) view.first_node = 0;  // of equal ones the first by name
  if (member.search) view.search = member.search;
  if (member.only_node != nullptr) {
    view.only_node = FirstNode(candidates, member.only_node->value().metadata.name, 0);
  }
  const int32_t priority = pod.spec.priority.value_or(0);
  if (placed == nullptr && MayHaveVictims(priority)) {
    view.victims_on = [this, priority](const std::string& node) {
      return VictimsOn(node, priority);
    };
    view.budgets = [this] { return Budgets(); };
  }
  if (options_.extended_resources) {
    view.class_of = [this](std::string_view resource) { return extended_.ClassOf(resource); };
    view.left_over = LeftOverOf(pod.metadata.uid);
  }
  const auto find_pod = [this](std::string_view key) { return pods_.Find(key); };
  const auto with_placed = [&](std::vector<Neighbour> others) {
    if (placed != nullptr) placed->AddTo(others, nodes);
    return others;
  };
  view.neighbours = {
      .all = [&] { return with_placed(use_.Neighbours(find_pod)); },
      .with_rules_about =
          [&](const core_v1::Pod& one) {
            return with_placed(use_.NeighboursWithRulesAbout(one, find_pod));
          },
      .collection_of = [this](const core_v1::Pod& one) { return collections_.SelectorFor(one); },
      .labels_of_namespace =
          [this](std::string_view name) {
            const api::Object* found = namespaces_.Find(name);
            return found == nullptr ? nullptr : &found->metadata().labels;
          },
      .work = &*work_};
  if (!node_allocatable_.empty()) {
    view.node_allocatable = [this](const auto& result) { return node_allocatable_.Find(result); };
  }
  return Decide(pod, claims, view, CycleOptionsOf(profile));
}

CycleOptions Scheduler::CycleOptionsOf(const Profile& profile) const {
  CycleOptions options = options_.cycle;
  if (options_.features.device_binding_and_status) {
    options.binding_timeout = profile.binding_timeout;
  }
  return options;
}

/// Whether a pod that has a node, or is about to, uses the volume claim and is not `uid`.
bool Scheduler::IsVolumeClaimUsed(std::string_view claim, std::string_view uid) const {
  return std::ranges::any_of(
      pods_.Indexed(pods_by_volume_claim_, claim), [&](const std::string& key) {
        const auto& pod = pods_.Find(key)->As<core_v1::Pod>();
        const bool has_node = !pod.spec.node_name.empty() || assumed_.contains(pod.metadata.uid);
        return pod.metadata.uid != uid && has_node && !api::pods::HasEnded(pod);
      });
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
    const bool is_new = taken_.Reserve(hold, *claim.allocation);
    DRAY_CHECK(is_new || claim.is_pending);
    if (!is_new) taken_.Share(hold);
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
  assumed_.insert(pod.metadata.uid);
  if (options_.metrics != nullptr) stories_[pod.metadata.uid] = queue_.StoryOf(EntryOf(pod));
  use_.SetPod(pod, placement.node, placement.taken, AffinityRules::Of(task.pod));
  queue_.MoveOnEvent(ClusterEvent::kPlacedPods, Now());
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
  events_.Record(pod,
                 {.type = client::EventType::kWarning,
                  .reason = "FailedScheduling",
                  .message = why.message,
                  .action = "Scheduling",
                  .component = NameFor(pod)});
  if (reports_.has_value() && fits_nowhere && AsksForDevices(pod.As<core_v1::Pod>()))
    reports_->Note(pod, Now());
  const api::Object* found = pods_.Find(api::ObjectKey(pod.metadata()));
  const api::Object newest = found == nullptr ? pod : *found;
  const Result<api::Object> written = TellWhyNotScheduled(
      client_, newest, pod.metadata().uid, why, api::Time::Of(world_.clock.Now()));
  if (written) {
    pods_.Assume(*written);
  } else if (written.error().reason != StatusReason::kNotFound) {
    log_.Warning("cannot tell why a pod waits",
                 "pod",
                 pod.metadata().name,
                 "error",
                 written.error().message);
  }
}

}  // namespace dray::scheduler
