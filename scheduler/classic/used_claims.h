// SPDX-License-Identifier: Apache-2.0
// Finds, assumes and gives back the claims that pods use, of either generation of the API. Drivers'
// own controllers allocate some of them (classic DRA).
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

/// Owns the informers for claims that drivers allocate. Not thread-safe.
class UsedClaims {
 public:
  /// All members must outlive the UsedClaims.
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

  /// Applies new watch events about drivers' claims; see client::Informer::Step.
  std::optional<MonotonicTime> Step();
  bool synced() const { return !classic_.has_value() || classic_->synced(); }
  /// Null: no driver allocates.
  ClassicScheduling* classic() { return classic_.has_value() ? &*classic_ : nullptr; }
  const ClassicScheduling* classic() const { return classic_.has_value() ? &*classic_ : nullptr; }

  /// A claim of the generation whose claims pods use, by "namespace/name"; null: there is none.
  const api::Object* Find(std::string_view key) const;
  /// Applies our own write of a claim before its watch event arrives.
  void Assume(const api::Object& claim);
  /// Deallocates a claim whose allocation the pod cannot reach. If a driver made the allocation,
  /// first withdraws the selected node, so that the driver does not allocate there again. Returns
  /// the claim as stored. Errors: those of the API.
  Result<api::Object> GiveUp(const api::Object& pod, const api::Object& claim);

  /// Removes the reservations of a pod whose attempt failed, those made by drivers too; allocations
  /// stay. If the API refuses a write, the next attempt or the claim controller repairs it.
  void DropReservations(const api::Object& pod, std::span<const api::Object> claims);
  /// The same for all claims that the pod names.
  void DropReservations(const api::Object& pod);

 private:
  const Uses uses_;
  std::optional<ClassicScheduling> classic_;
};

}  // namespace dray::scheduler::inline classic
