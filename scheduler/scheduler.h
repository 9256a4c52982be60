// SPDX-License-Identifier: Apache-2.0
// The scheduler: follows pods, claims, slices, classes and nodes, and gives every pod a node and
// its claims devices. The shell around cycle.h (decisions), queue.h (order) and bind.h (writes).
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/pod.h"
#include "base/bounded_queue.h"
#include "base/log.h"
#include "base/world.h"
#include "client/client.h"
#include "client/loop.h"
#include "dray/allocator.h"
#include "scheduler/attempt.h"
#include "scheduler/bind.h"
#include "scheduler/binding_conditions.h"
#include "scheduler/classic_scheduling.h"
#include "scheduler/cluster_cache.h"
#include "scheduler/cluster_feed.h"
#include "scheduler/configuration.h"
#include "scheduler/cycle.h"
#include "scheduler/group_attempt.h"
#include "scheduler/group_trial.h"
#include "scheduler/pod_writes.h"
#include "scheduler/queue.h"
#include "scheduler/reporter.h"
#include "scheduler/scheduler_metrics.h"
#include "scheduler/unfit_pod.h"
#include "scheduler/unfit_reports.h"

namespace dray::scheduler {

/// The reason of the events that say in one line why a pod gets no devices.
inline constexpr std::string_view kDevicesUnavailable = "DevicesUnavailable";

/// Whether an entry of the queue stands for a group of pods.
bool IsGroupEntry(std::string_view entry);

/// One thread runs Run(); others may run RunBinder(), one each RunExplainer() and RunReporter().
/// The client and the world outlive it.
class Scheduler {
 public:
  struct Options {
    /// Schedules the pods that ask for one of the profiles.
    Configuration configuration = {};
    /// Compiled expressions, which others may share. Never null.
    std::shared_ptr<cel::SelectorCache> selectors;
    allocator::Features features = {};
    /// DeviceTaintRules count, as in this release; absent: they taint nothing.
    std::optional<api::Release> taint_rules = {};
    CycleOptions cycle = {};
    /// Placements handed to RunBinder() threads and not finished. 0: Run() writes them itself.
    size_t bindings_max = 0;
    /// Device classes serve extended resources (DRAExtendedResource).
    bool extended_resources = true;
    /// Devices may take resources of their nodes (DRANodeAllocatableResources).
    bool node_allocatable = false;
    /// Pods of a group are scheduled together (GenericWorkload), and may share claims
    /// (DRAWorkloadResourceClaims).
    bool pod_groups = false;
    bool group_claims = false;
    /// Groups may want their pods near each other (TopologyAwareWorkloadScheduling).
    bool group_topology = false;
    /// Drivers' own controllers allocate too, as in this generation of releases.
    ClassicClaims classic = ClassicClaims::kNone;
    /// Between questions about a placement of unknown outcome.
    std::chrono::nanoseconds ask_again = std::chrono::seconds(1);
    /// What is counted; outlives the scheduler. Null: nothing.
    SchedulerMetrics* metrics = nullptr;
    /// Not set: of pods that fit nowhere no more is told than upstream tells.
    ExplainUnfit explain = {};
    /// On the thread of RunExplainer(), not that of Run().
    bool explains_elsewhere = false;
    /// Events, and conditions of pods that fit nowhere, are written on the thread of RunReporter().
    bool reports_elsewhere = false;
  };

  Scheduler(client::Client& client, World& world, Log log, Options options);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Follows the cluster and schedules until Stop().
  void Run();
  /// Writes placements until Stop(); for Options::bindings_max > 0, on any number of threads.
  void RunBinder();
  /// Finds out why pods fit nowhere until Stop(); for Options::explains_elsewhere.
  void RunExplainer();
  /// Writes events and conditions until Stop(); for Options::reports_elsewhere.
  void RunReporter();
  /// From any thread. What is decided and not yet being written is dropped: another scheduler may
  /// have begun.
  void Stop();

  /// One turn of Run, for tests and simulation: handles what has arrived, schedules some pods.
  std::optional<MonotonicTime> Step();

  /// Placements of which nobody knows yet whether they were written. On the thread of Run.
  size_t unknown_bindings() const { return unknown_.size(); }
  /// Pods whose devices are being made ready. On the thread of Run.
  size_t waiting_pods() const { return waiting_.size(); }
  /// Pods that are active, back off, are unschedulable or in flight. On the thread of Run.
  size_t pending_pods() const { return queue_.size(); }

 private:
  void OnPod(const api::Object* before, const api::Object* after);
  void OnClaim(const api::Object* before, const api::Object* after);
  void OnGroup(const api::Object* before, const api::Object* after);
  /// The one that the pod asks for; null: it is another scheduler's.
  const Profile* ProfileOf(const api::core_v1::Pod& pod) const;
  const std::string& NameFor(const api::Object& pod) const;

  void ScheduleOne(const std::string& key, MonotonicTime now);
  void Evict(std::span<const PodOnNode> victims,
             const Preemptor& preemptor,
             std::string_view place);
  /// `others`: what the pod has beside `claims`.
  Decision SchedulePod(const api::core_v1::Pod& pod,
                       std::span<const api::Object> claims,
                       const AsMember& member = {},
                       const OtherClaims* others = nullptr);
  void Hold(BindTask& task, ClaimToBind claim);
  void Reserve(const api::Object& pod, std::span<const api::Object> claims, Placement placement);
  BindTask BeginTask(const api::Object& pod, const Placement& placement);
  void Assume(BindTask task, Placement placement);

  // Groups of pods: group_cycle.cc.
  /// The entry of the queue that stands for the pod: its own, or its group's.
  std::string EntryOf(const api::core_v1::Pod& pod) const;
  GroupState StateOf(std::string_view group_key) const;
  /// Puts the pod, or its group, into the queue.
  void Enqueue(const api::core_v1::Pod& pod);
  /// The pod waits for a node no more.
  void Dequeue(const api::core_v1::Pod& pod);
  void ScheduleGroup(const std::string& entry, MonotonicTime now);
  void BindMembers(std::span<const GroupMember> members, GroupOutcome& outcome);
  void FinishGroup(const std::string& entry,
                   const api::Object& group,
                   std::span<const GroupMember> members,
                   GroupOutcome outcome,
                   size_t scheduled);
  /// What is done for a group that fits nowhere.
  struct GroupRoom {
    std::string message;                 // what is said of it
    std::vector<api::Object> freed;      // claims that have no allocation any more
    std::vector<PodOnNode> victims;      // must go
    std::vector<std::string> nominated;  // nodes for its members, where there will be room
  };
  void TellMembers(std::span<const GroupMember> members,
                   const GroupOutcome& outcome,
                   const GroupRoom& room = {});
  GroupOutcome TryGroup(const PodGroup& group,
                        std::span<const GroupMember> members,
                        size_t scheduled);
  GroupRoom MakeRoomForGroup(const api::Object& group,
                             std::span<const GroupMember> members,
                             const GroupOutcome& outcome,
                             size_t scheduled);
  // group_preemption.cc
  void PreemptForGroup(const api::Object& group,
                       std::span<const GroupMember> members,
                       size_t scheduled,
                       GroupRoom& room);
  bool IsRoomBeingMadeFor(std::span<const GroupMember> members, int32_t priority) const;
  bool CanComeBack(const Victim& victim,
                   std::span<const GroupMember> members,
                   const GroupOutcome& outcome);
  bool StillFits(std::span<const GroupMember> members, const GroupOutcome& outcome);
  bool UnreserveOneOf(const api::Object& group,
                      std::span<const GroupMember> members,
                      std::vector<api::Object>& freed);
  void TellOfGroupNow(const api::Object& group, const GroupCondition& condition);

  void StartBinding(BindTask task);
  void FinishBinding(BindOutcome outcome);
  std::optional<MonotonicTime> AskAboutUnknown();
  void Await(BindTask task);
  std::optional<MonotonicTime> GoOnWithWaiting();
  void HandleUnschedulable(const std::string& key,
                           const api::Object& pod,
                           std::span<const api::Object> claims,
                           Unschedulable result);
  struct Room {
    GivenUp given_up = GivenUp::kNothing;
    std::optional<api::Object> freed;  // the claim that has no allocation any more
  };
  Result<Room> MakeRoom(const Unschedulable& result,
                        std::span<const api::Object> claims,
                        const api::Object& pod);
  void HandleFailure(const std::string& key, const api::Object& pod, const std::string& message);
  void HandleFailure(const std::string& key, const api::Object& pod, const AttemptFailed& failed);
  void BeginWork(const std::string& entry, size_t pods);
  uint64_t ChargeAttempt(std::string_view entry);
  std::string PutAside(const std::string& entry);
  allocator::Budget BudgetFor(const Profile& profile);
  void RecordFailure(const api::Object& pod, const WhyNotScheduled& why);

  // Why pods get no devices: unfit.cc.
  void FollowUnfitPods();
  std::optional<MonotonicTime> ExplainUnfitPods();
  bool AsksForDevices(const api::core_v1::Pod& pod) const;
  std::optional<UnfitPod> GatherUnfit(const std::string& key);
  void AddCandidates(const api::core_v1::Pod& pod,
                     const std::function<bool(const std::string& node)>& add,
                     UnfitPod& unfit);

  // Where drivers' own controllers allocate: classic_attempt.cc.
  void ScheduleClassic(const std::string& key,
                       const api::Object& pod,
                       std::span<const api::Object> claims);
  Decision DecideClassic(const api::Object& pod,
                         std::span<const api::Object> claims,
                         const ClassicAttempt& attempt);
  void GoOnWithDialogue(const std::string& key,
                        const api::Object& pod,
                        std::span<const api::Object> claims,
                        const ClassicAttempt& attempt,
                        Placement placement);
  void BindClassic(const std::string& key,
                   const api::Object& pod,
                   std::span<const api::Object> claims,
                   const ClassicAttempt& attempt,
                   Placement placement);
  void DropReservations(const api::Object& pod, std::span<const api::Object> claims);
  void DropReservations(const api::Object& pod);
  Result<Room> GiveUpForClassic(const api::Object& pod, const api::Object& claim);
  GivenUp NothingGivenUp(const Unschedulable& result, std::span<const api::Object> claims) const;
  /// A claim of the generation whose claims pods use.
  const api::Object* FindClaim(std::string_view key) const;
  void AssumeClaim(const api::Object& claim);

  /// How an attempt for the pod ended, for metrics; `story` is what became of it until then.
  void Count(AttemptResult result, const api::Object& pod, const QueueStory& story);
  MonotonicTime Now() const { return world_.clock.Monotonic(); }

  client::Client& client_;
  World& world_;
  Log log_;
  Options options_;
  client::Loop loop_;
  Reporter reporter_;

  SchedulingQueue queue_;
  std::optional<allocator::SharedWork> work_;  // that the attempt under way may do
  uint64_t granted_ = 0;                       // what work_ began with
  std::chrono::nanoseconds rest_{};            // what its share rests if it takes more
  std::atomic<bool> stopping_ = false;
  ClusterCache cluster_;
  ClusterFeed feed_;
  size_t first_node_ = 0;
  std::map<std::string, QueueStory> stories_;  // of assumed pods, by uid, for metrics

  BoundedQueue<BindTask> tasks_;
  BoundedQueue<BindOutcome> outcomes_;
  size_t bindings_ = 0;
  BindingWaits waiting_;                            // for their devices to get ready
  std::multimap<MonotonicTime, BindTask> unknown_;  // of unknown outcome, by when to ask again

  std::optional<ClassicScheduling> classic_;
  std::optional<UnfitReports> reports_;
  size_t claims_by_pool_ = 0;  // index of claims, "driver/pool", while there are reports
};

}  // namespace dray::scheduler
