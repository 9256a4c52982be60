// SPDX-License-Identifier: Apache-2.0
// The scheduler: follows pods, claims, slices, classes and nodes, and assigns nodes to pods and
// devices to their claims. It owns the parts and runs their loop. Each part owns its state, and
// knows the parts below it but not the loop.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "api/release.h"
#include "base/log.h"
#include "base/world.h"
#include "client/client.h"
#include "client/loop.h"
#include "dray/allocator.h"
#include "scheduler/bind/binder.h"
#include "scheduler/classic/classic_scheduling.h"
#include "scheduler/classic/used_claims.h"
#include "scheduler/classic_scheduler.h"
#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/cluster/cluster_feed.h"
#include "scheduler/configuration/configuration.h"
#include "scheduler/cycle/cycle.h"
#include "scheduler/cycle/decider.h"
#include "scheduler/evictor.h"
#include "scheduler/group_scheduler.h"
#include "scheduler/groups/pending_pods.h"
#include "scheduler/queue/queue.h"
#include "scheduler/reports/outcome_reporter.h"
#include "scheduler/reports/reporter.h"
#include "scheduler/reports/scheduler_metrics.h"
#include "scheduler/reports/unfit_pod.h"
#include "scheduler/reports/unfit_reporter.h"
#include "scheduler/unplaced_pods.h"

namespace dray::scheduler {

/// One thread runs Run(); others may run RunBinder(), one each RunExplainer() and RunReporter().
/// The client and the world must outlive it.
class Scheduler {
 public:
  struct Options {
    /// Schedules the pods that name one of its profiles.
    Configuration configuration = {};
    /// Compiled expressions, possibly shared with other parts. Never null.
    std::shared_ptr<allocator::SelectorCache> selectors;
    allocator::Features features = {};
    /// Applies DeviceTaintRules as this release does; absent: they taint nothing.
    std::optional<api::Release> taint_rules = {};
    CycleOptions cycle = {};
    /// The limit of placements handed to RunBinder() threads and not finished. 0: Run() writes them
    /// itself.
    size_t bindings_max = 0;
    /// Device classes serve extended resources (DRAExtendedResource).
    bool extended_resources = true;
    /// Devices may take resources of their nodes (DRANodeAllocatableResources).
    bool node_allocatable = false;
    /// Pods of a group are scheduled together (GenericWorkload), and may share claims
    /// (DRAWorkloadResourceClaims).
    bool pod_groups = false;
    bool group_claims = false;
    /// Groups may require nodes of one topology domain (TopologyAwareWorkloadScheduling).
    bool group_topology = false;
    /// Drivers' own controllers allocate too, as in this generation of releases; kNone: they do
    /// not.
    ClassicClaims classic = ClassicClaims::kNone;
    /// The interval between two checks of a placement of unknown outcome.
    std::chrono::nanoseconds ask_again = std::chrono::seconds(1);
    /// Must outlive the scheduler. Null: no metrics.
    SchedulerMetrics* metrics = nullptr;
    /// Not set: pods that fit nowhere get upstream's messages only.
    ExplainUnfit explain = {};
    /// `explain` runs on the thread of RunExplainer(), not that of Run().
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
  /// Computes explanations for pods that fit nowhere until Stop(); for Options::explains_elsewhere.
  void RunExplainer();
  /// Writes events and conditions until Stop(); for Options::reports_elsewhere.
  void RunReporter();
  /// Safe on any thread. Drops decisions that are not being written yet, because another scheduler
  /// may have taken over.
  void Stop();

  /// One turn of Run, for tests and simulation: applies watch events, schedules some pods.
  std::optional<MonotonicTime> Step();

  /// The number of placements whose writes have an unknown outcome. On the thread of Run.
  size_t unknown_bindings() const { return binder_.unknown(); }
  /// The number of pods whose devices are being prepared. On the thread of Run.
  size_t waiting_pods() const { return binder_.waiting(); }
  /// The number of pods that are active, back off, are unschedulable or in flight. On the thread of
  /// Run.
  size_t pending_pods() const { return queue_.size(); }

 private:
  void OnPod(const api::Object* before, const api::Object* after);
  void OnClaim(const api::Object* before, const api::Object* after);
  void OnBindingEnd(const BindOutcome& outcome);
  void StopWaitingFor(const api::core_v1::Pod& pod);

  void ScheduleOne(const std::string& entry, MonotonicTime now);
  void SchedulePod(const std::string& key, MonotonicTime now);
  UnfitReporter* BeginUnfitReports();
  void ReportSizes();
  MonotonicTime Now() const { return world_.clock.Monotonic(); }

  World& world_;
  Log log_;
  const Options options_;
  client::Loop loop_;
  std::atomic<bool> stopping_ = false;

  // The known state, and the pods that wait.
  SchedulingQueue queue_;
  ClusterCache cluster_;
  ClusterFeed feed_;
  UsedClaims claims_;
  PendingPods pending_;

  // Reports.
  Reporter reporter_;
  std::optional<UnfitReporter> unfit_;
  OutcomeReporter outcomes_;

  // Decisions and their effects. Each part uses those before it.
  Decider decider_;
  Evictor evictor_;
  UnplacedPods unplaced_;
  Binder binder_;
  GroupScheduler groups_;
  std::optional<ClassicScheduler> classic_;
};

}  // namespace dray::scheduler
