// SPDX-License-Identifier: Apache-2.0
// Reports the outcomes of attempts: in metrics, in events, and in the condition of a pod without a
// node.
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

/// Owns the histories of pods from their assumption to their binding, for metrics. Not thread-safe.
class OutcomeReporter {
 public:
  /// All members must outlive the OutcomeReporter.
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
    SchedulerMetrics* metrics;  // null: no metrics
    UnfitReporter* unfit;       // null: no explanations why a pod gets no devices
  };

  explicit OutcomeReporter(const Uses& uses) : uses_(uses) {}

  /// Call before the pod is assumed on a node: keeps its history until the binding has ended.
  void KeepStory(const api::core_v1::Pod& pod);
  /// The binding of an assumed pod failed.
  void DropStory(std::string_view uid);

  /// The pod waits on the node for its devices to get ready.
  void ReportWaiting(const api::Object& pod, std::string_view node);
  /// The pod is bound to the node.
  void ReportBound(const api::Object& pod, std::string_view node);
  /// An attempt for the pod ended without a node. Counts it, records an event, writes the condition
  /// (at once if it nominates a node), and requests an explanation of the missing devices.
  void ReportFailure(const api::Object& pod, const WhyNotScheduled& why);

 private:
  void Count(AttemptResult result, const api::Object& pod, const QueueStory& story);
  void WriteCondition(const api::Object& pod, const WhyNotScheduled& why);
  const std::string& ComponentFor(const api::Object& pod) const;

  const Uses uses_;
  std::map<std::string, QueueStory, std::less<>> stories_;  // of assumed pods, by uid
};

}  // namespace dray::scheduler::inline reports
