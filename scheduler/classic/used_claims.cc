// SPDX-License-Identifier: Apache-2.0
#include "scheduler/classic/used_claims.h"

#include <vector>

#include "api/claims/either_claim.h"
#include "api/claims/pod_claims.h"
#include "api/core_v1/pod.h"
#include "base/try.h"
#include "scheduler/bind/bind.h"
#include "scheduler/classic/classic_writes.h"

namespace dray::scheduler::inline classic {

UsedClaims::UsedClaims(const Uses& uses, ClassicClaims generation) : uses_(uses) {
  if (generation == ClassicClaims::kNone) return;
  classic_.emplace(uses.client,
                   uses.world,
                   uses.wakeup,
                   uses.log,
                   ClassicScheduling::Options{.generation = generation, .queue = &uses.queue});
}

std::optional<MonotonicTime> UsedClaims::Step() {
  return classic_.has_value() ? classic_->Step() : std::nullopt;
}

const api::Object* UsedClaims::Find(std::string_view key) const {
  const bool is_classic = classic_.has_value() && classic_->generation() == ClassicClaims::kAll;
  return is_classic ? classic_->FindClaim(key) : uses_.cluster.FindClaim(key);
}

void UsedClaims::Assume(const api::Object& claim) {
  if (api::claims::IsClassic(claim)) {
    classic_->AssumeClaim(claim);
  } else {
    uses_.feed.Assume(claim);
  }
}

Result<api::Object> UsedClaims::GiveUp(const api::Object& pod, const api::Object& claim) {
  if (!classic_.has_value() || !IsDrivers(claim)) return Deallocate(uses_.client, claim);
  DRAY_TRY_VOID(classic_->UnselectNode(pod));
  return GiveUpAllocation(uses_.client, claim);
}

void UsedClaims::DropReservations(const api::Object& pod, std::span<const api::Object> claims) {
  for (const api::Object& claim : claims) {
    const api::Object* newest = Find(api::ObjectKey(claim.metadata()));
    if (newest == nullptr || newest->metadata().uid != claim.metadata().uid) continue;
    const bool is_held = api::claims::VisitClaim(*newest, [&](const auto& value) {
      return value.status.allocation.has_value() &&
             api::claims::IsReservedFor(value, pod.metadata().uid);
    });
    if (!is_held) continue;
    const Result<api::Object> written =
        DropReservation(uses_.client, api::Object(*newest), pod.metadata().uid);
    if (written) {
      Assume(*written);
    } else {
      uses_.log.Warning("cannot take a reservation back",
                        "claim",
                        api::ObjectKey(claim.metadata()),
                        "error",
                        written.error().message);
    }
  }
}

void UsedClaims::DropReservations(const api::Object& pod) {
  std::vector<api::Object> claims;
  for (const std::string& key : api::claims::KeysOf(pod.As<api::core_v1::Pod>())) {
    if (const api::Object* claim = Find(key)) claims.push_back(*claim);
  }
  DropReservations(pod, claims);
}

}  // namespace dray::scheduler::inline classic
