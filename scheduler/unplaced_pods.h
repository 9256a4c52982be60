// SPDX-License-Identifier: Apache-2.0
// What is done about a pod whose attempt found no node: it goes back to the queue, room is made for
// it where that may help, and its status says why.
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

/// Without state of its own. One thread.
class UnplacedPods {
 public:
  /// They outlive it.
  struct Uses {
    const Clock& clock;
    const Log& log;
    const Configuration& configuration;
    SchedulingQueue& queue;
    UsedClaims& claims;
    Decider& decider;
    Evictor& evictor;
    OutcomeReporter& outcomes;
    SchedulerMetrics* metrics;  // null: nothing is counted
  };

  explicit UnplacedPods(const Uses& uses) : uses_(uses) {}

  /// The pod fits nowhere now: makes room if that may help, and lets it wait for a change in the
  /// cluster. `key`: its entry in the queue.
  void HandleUnschedulable(const std::string& key,
                           const api::Object& pod,
                           std::span<const api::Object> claims,
                           Unschedulable result);
  /// Something went wrong: the entry is tried again after a back-off.
  void HandleFailure(const std::string& key, const api::Object& pod, const std::string& message);
  /// The same of an attempt. One that took too much puts the entry aside.
  void HandleFailure(const std::string& key, const api::Object& pod, const AttemptFailed& failed);

 private:
  const Uses uses_;
};

}  // namespace dray::scheduler
