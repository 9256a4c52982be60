// SPDX-License-Identifier: Apache-2.0
// The claims that pods use, of whichever generation of the API: found, shown as they were written,
// and given back. Drivers' own controllers allocate some of them (classic DRA).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "api/object.h"
#include "base/log.h"
#include "base/result.h"
#include "base/wakeup.h"
#include "base/world.h"
#include "client/client.h"
#include "scheduler/classic/classic_claims.h"
#include "scheduler/classic/classic_scheduling.h"
#include "scheduler/cluster/cluster_cache.h"
#include "scheduler/cluster/cluster_feed.h"
#include "scheduler/queue/queue.h"

namespace dray::scheduler::inline classic {

/// Owns what is followed of claims that drivers allocate. One thread.
class UsedClaims {
 public:
  /// They outlive it.
  struct Uses {
    client::Client& client;
    World& world;
    Wakeup& wakeup;
    const Log& log;
    const ClusterCache& cluster;
    ClusterFeed& feed;
    SchedulingQueue& queue;
  };

  /// `generation`: kNone where no driver allocates.
  UsedClaims(const Uses& uses, ClassicClaims generation);

  /// Applies what has arrived about drivers' claims; see client::Informer::Step.
  std::optional<MonotonicTime> Step();
  bool synced() const { return !classic_.has_value() || classic_->synced(); }
  /// Null: no driver allocates.
  ClassicScheduling* classic() { return classic_.has_value() ? &*classic_ : nullptr; }
  const ClassicScheduling* classic() const { return classic_.has_value() ? &*classic_ : nullptr; }

  /// A claim of the generation whose claims pods use, by "namespace/name"; null: there is none.
  const api::Object* Find(std::string_view key) const;
  /// Shows a claim as we have written it.
  void Assume(const api::Object& claim);
  /// Takes the allocation of a claim back, because the pod cannot go where that is. Where a driver
  /// has allocated, the driver is first asked to choose no node any more, so that it does not
  /// allocate there again. Returns the claim as stored. Errors: those of the API.
  Result<api::Object> GiveUp(const api::Object& pod, const api::Object& claim);

  /// Takes back the reservations of a pod whose attempt failed, those by drivers too; allocations
  /// stay. The next attempt, or the claim controller, repairs what the API refuses.
  void DropReservations(const api::Object& pod, std::span<const api::Object> claims);
  /// The same for all claims that the pod names.
  void DropReservations(const api::Object& pod);

 private:
  const Uses uses_;
  std::optional<ClassicScheduling> classic_;
};

}  // namespace dray::scheduler::inline classic
