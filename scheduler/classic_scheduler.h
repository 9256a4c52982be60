// SPDX-License-Identifier: Apache-2.0
// Schedules pods with claims that drivers' own controllers allocate (classic DRA): leads the
// dialogue with the drivers. classic_dialogue.h decides; classic_scheduling.h reads and writes.
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

/// Keeps no state between attempts, because PodSchedulingContexts hold the dialogue. Not
/// thread-safe.
class ClassicScheduler {
 public:
  /// All members must outlive the ClassicScheduler.
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
  /// Makes one attempt for a pod that Pop has returned. `claims` are all its claims. kTryAgain: the
  /// claims have changed meanwhile and nothing was done; the caller must find them again.
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
