// SPDX-License-Identifier: Apache-2.0
// Handles pods whose attempt found no node: puts them back into the queue, makes room where that
// may help, and writes the reason into their status.
#pragma once

#include <span>
#include <string>

#include "api/object.h"
#include "base/log.h"
#include "base/world.h"
#include "scheduler/classic/used_claims.h"
#include "scheduler/configuration/configuration.h"
#include "scheduler/cycle/decider.h"
#include "scheduler/cycle/unschedulable.h"
#include "scheduler/evictor.h"
#include "scheduler/queue/queue.h"
#include "scheduler/reports/outcome_reporter.h"
#include "scheduler/reports/scheduler_metrics.h"

namespace dray::scheduler {

/// Stateless. Not thread-safe.
class UnplacedPods {
 public:
  /// All members must outlive the UnplacedPods.
  struct Uses {
    const Clock& clock;
    const Log& log;
    const Configuration& configuration;
    SchedulingQueue& queue;
    UsedClaims& claims;
    Decider& decider;
    Evictor& evictor;
    OutcomeReporter& outcomes;
    SchedulerMetrics* metrics;  // null: no metrics
  };

  explicit UnplacedPods(const Uses& uses) : uses_(uses) {}

  /// The pod fits nowhere now. Makes room if that may help, and puts the pod back to wait for a
  /// change in the cluster. `key`: its entry in the queue.
  void HandleUnschedulable(const std::string& key,
                           const api::Object& pod,
                           std::span<const api::Object> claims,
                           Unschedulable result);
  /// An error occurred: the entry is retried after a back-off.
  void HandleFailure(const std::string& key, const api::Object& pod, const std::string& message);
  /// The same for a failed attempt. If the attempt spent its budget, the entry is put aside.
  void HandleFailure(const std::string& key, const api::Object& pod, const AttemptFailed& failed);

 private:
  const Uses uses_;
};

}  // namespace dray::scheduler
