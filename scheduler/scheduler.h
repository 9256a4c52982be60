// SPDX-License-Identifier: Apache-2.0
// The scheduler: follows pods, claims, slices, classes and nodes, and gives every pod a node and
// its claims devices. The loop that holds its parts together: each owns its state, and knows the
// parts below it and not the loop.
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

  /// Placements of which it is not known yet whether they were written. On the thread of Run.
  size_t unknown_bindings() const { return binder_.unknown(); }
  /// Pods whose devices are being made ready. On the thread of Run.
  size_t waiting_pods() const { return binder_.waiting(); }
  /// Pods that are active, back off, are unschedulable or in flight. On the thread of Run.
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

  // What is known, and what waits.
  SchedulingQueue queue_;
  ClusterCache cluster_;
  ClusterFeed feed_;
  UsedClaims claims_;
  PendingPods pending_;

  // What is reported.
  Reporter reporter_;
  std::optional<UnfitReporter> unfit_;
  OutcomeReporter outcomes_;

  // What is decided and done. Each part uses those before it.
  Decider decider_;
  Evictor evictor_;
  UnplacedPods unplaced_;
  Binder binder_;
  GroupScheduler groups_;
  std::optional<ClassicScheduler> classic_;
};

}  // namespace dray::scheduler
