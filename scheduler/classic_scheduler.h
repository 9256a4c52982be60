// SPDX-License-Identifier: Apache-2.0
// Schedules pods with claims that drivers' own controllers allocate (classic DRA): leads the
// dialogue with the drivers. The decisions are classic_dialogue.h's, the reads and writes
// classic_scheduling.h's.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "api/object.h"
#include "base/world.h"
#include "scheduler/bind/binder.h"
#include "scheduler/classic/classic_scheduling.h"
#include "scheduler/classic/used_claims.h"
#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/cycle/cycle.h"
#include "scheduler/cycle/decider.h"
#include "scheduler/queue/queue.h"
#include "scheduler/reports/outcome_reporter.h"
#include "scheduler/unplaced_pods.h"

namespace dray::scheduler {

/// Keeps nothing between attempts: the dialogue is in PodSchedulingContexts. One thread.
class ClassicScheduler {
 public:
  /// They outlive it.
  struct Uses {
    const Clock& clock;
    ClusterCache& cluster;
    SchedulingQueue& queue;
    UsedClaims& claims;
    ClassicScheduling& classic;  // that of `claims`
    Decider& decider;
    Binder& binder;
    UnplacedPods& unplaced;
    OutcomeReporter& outcomes;
  };

  explicit ClassicScheduler(const Uses& uses) : uses_(uses) {}

  enum class Next : uint8_t { kDone, kTryAgain };
  /// One attempt for a pod that Pop has returned. `claims` are all its claims. kTryAgain: the
  /// claims have changed meanwhile, so they must be found again, and nothing was done.
  Next Schedule(const std::string& key,
                const api::Object& pod,
                std::span<const api::Object> claims);

 private:
  void Attempt(const std::string& key, const api::Object& pod, std::span<const api::Object> claims);
  Decision Decide(const api::Object& pod,
                  std::span<const api::Object> claims,
                  const ClassicAttempt& attempt);
  void GoOnWithDialogue(const std::string& key,
                        const api::Object& pod,
                        std::span<const api::Object> claims,
                        const ClassicAttempt& attempt,
                        Placement placement);
  void Bind(const std::string& key,
            const api::Object& pod,
            std::span<const api::Object> claims,
            const ClassicAttempt& attempt,
            Placement placement);

  const Uses uses_;
};

}  // namespace dray::scheduler
