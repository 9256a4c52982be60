// SPDX-License-Identifier: Apache-2.0
#include "controllers/claim_sync.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "api/claims/either_claim.h"
#include "api/claims/pod_claims.h"
#include "api/claims/pod_groups.h"
#include "api/pods/life.h"

namespace dray::controllers {
namespace {

namespace resource_v1 = api::resource_v1;
namespace classic = api::resource_v1alpha2;

ClaimAction Write(resource_v1::ResourceClaimStatus status) {
  return WriteStatus{.status = std::move(status)};
}

ClaimAction Write(classic::ResourceClaimStatus status) {
  return WriteClassicStatus{.status = std::move(status)};
}

/// What happens to the allocation of a claim without consumers.
enum class Afterwards : uint8_t { kStays, kTakenBack, kAskedBack };

Afterwards AfterUse(const resource_v1::ResourceClaim& claim, bool was_used) {
  const bool is_deleting = claim.metadata.deletion_timestamp.has_value();
  if (claim.status.allocation && !claim.status.allocation->controller.empty()) {
    return was_used ? Afterwards::kAskedBack : Afterwards::kStays;
  }
  const bool is_ours = api::claims::HasFinalizer(claim.metadata);
  return is_ours && (was_used || is_deleting) ? Afterwards::kTakenBack : Afterwards::kStays;
}

Afterwards AfterUse(const classic::ResourceClaim& claim, bool was_used) {
  const bool is_deleting = claim.metadata.deletion_timestamp.has_value();
  const bool is_delayed = claim.spec.allocation_mode != "Immediate";
  if (std::ranges::count(claim.metadata.finalizers, api::claims::kClassicFinalizer) > 0) {
    const bool ends = is_deleting || (is_delayed && was_used);
    return ends ? Afterwards::kTakenBack : Afterwards::kStays;
  }
  const bool ends = is_delayed && was_used && claim.status.allocation.has_value();
  return ends ? Afterwards::kAskedBack : Afterwards::kStays;
}

template <class Claim>
std::vector<ClaimAction> ReconcileEither(const Claim& claim,
                                         const std::set<std::string>& alive,
                                         Owner owner) {
  std::vector<ClaimAction> actions;
  auto status = claim.status;
  const size_t left = std::erase_if(status.reserved_for, [&](const auto& consumer) {
    return api::claims::KindOf(consumer) != api::claims::ConsumerKind::kOther &&
           !alive.contains(consumer.uid);
  });
  const bool unused = status.reserved_for.empty();
  const Afterwards afterwards = unused ? AfterUse(claim, left > 0) : Afterwards::kStays;
  const bool release = afterwards == Afterwards::kTakenBack;
  if (release) api::claims::ClearAllocation(status);
  if (afterwards == Afterwards::kAskedBack) status.deallocation_requested = true;
  if (left > 0 || (release && claim.status.allocation)) {
    actions.push_back(Write(std::move(status)));
  }
  if (release) actions.emplace_back(RemoveFinalizer{});
  const bool is_deleting = claim.metadata.deletion_timestamp.has_value();
  if (unused && !is_deleting && (owner == Owner::kDone || owner == Owner::kGone)) {
    actions.emplace_back(DeleteClaim{});
  }
  return actions;
}

}  // namespace

bool IsDone(const api::core_v1::Pod& pod) {
  return api::pods::HasEnded(pod) ||
         (pod.metadata.deletion_timestamp && pod.spec.node_name.empty());
}

std::vector<ClaimAction> Reconcile(const resource_v1::ResourceClaim& claim,
                                   const std::set<std::string>& alive,
                                   Owner owner) {
  return ReconcileEither(claim, alive, owner);
}

std::vector<ClaimAction> Reconcile(const classic::ResourceClaim& claim,
                                   const std::set<std::string>& alive,
                                   Owner owner) {
  return ReconcileEither(claim, alive, owner);
}

}  // namespace dray::controllers
