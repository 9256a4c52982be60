// SPDX-License-Identifier: Apache-2.0
// Reports how attempts for pods end: in metrics, in events, and in the condition of a pod that has
// no node.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/core_v1/pod.h"
#include "api/object.h"
#include "base/log.h"
#include "base/world.h"
#include "client/client.h"
#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/cluster/cluster_feed.h"
#include "scheduler/configuration/configuration.h"
#include "scheduler/groups/pending_pods.h"
#include "scheduler/queue/queue.h"
#include "scheduler/reports/pod_writes.h"
#include "scheduler/reports/reporter.h"
#include "scheduler/reports/scheduler_metrics.h"
#include "scheduler/reports/unfit_reporter.h"

namespace dray::scheduler::inline reports {

/// Owns what became of assumed pods until they were assumed, for metrics. One thread.
class OutcomeReporter {
 public:
  /// They outlive it.
  struct Uses {
    client::Client& client;
    const Clock& clock;
    const Log& log;
    const Configuration& configuration;
    const ClusterCache& cluster;
    ClusterFeed& feed;
    const SchedulingQueue& queue;
    const PendingPods& pending;
    Reporter& reporter;
    SchedulerMetrics* metrics;  // null: nothing is counted
    UnfitReporter* unfit;       // null: why a pod gets no devices is not explained
  };

  explicit OutcomeReporter(const Uses& uses) : uses_(uses) {}

  /// The pod is about to be assumed on a node. Until the binding has ended its story is kept.
  void KeepStory(const api::core_v1::Pod& pod);
  /// The binding of an assumed pod failed.
  void DropStory(std::string_view uid);

  /// The pod waits on the node for its devices to get ready.
  void ReportWaiting(const api::Object& pod, std::string_view node);
  /// The pod is bound to the node.
  void ReportBound(const api::Object& pod, std::string_view node);
  /// An attempt for the pod ended without a node: counts it, records an event, writes the
  /// condition, at once where it nominates a node, and has it explained which devices are lacking.
  void ReportFailure(const api::Object& pod, const WhyNotScheduled& why);

 private:
  void Count(AttemptResult result, const api::Object& pod, const QueueStory& story);
  void WriteCondition(const api::Object& pod, const WhyNotScheduled& why);
  const std::string& ComponentFor(const api::Object& pod) const;

  const Uses uses_;
  std::map<std::string, QueueStory, std::less<>> stories_;  // of assumed pods, by uid
};

}  // namespace dray::scheduler::inline reports
