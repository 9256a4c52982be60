// SPDX-License-Identifier: Apache-2.0
#include "controllers/claim_sync.h"

#include <utility>

#include "api/claims/pod_claims.h"
#include "api/claims/pod_groups.h"

namespace dray::controllers {
namespace {

using api::resource_v1::ResourceClaim;
using api::resource_v1::ResourceClaimStatus;

void ClearAllocation(ResourceClaimStatus& status) {
  status.allocation.reset();
  status.devices.clear();  // they speak of devices that are not allocated any more
}

}  // namespace

bool IsDone(const api::core_v1::Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed" ||
         (pod.metadata.deletion_timestamp && pod.spec.node_name.empty());
}

std::vector<ClaimAction> Reconcile(const ResourceClaim& claim,
                                   const std::set<std::string>& alive,
                                   Owner owner) {
  std::vector<ClaimAction> actions;
  ResourceClaimStatus status = claim.status;
  const size_t left = std::erase_if(status.reserved_for, [&](const auto& consumer) {
    return api::claims::KindOf(consumer) != api::claims::ConsumerKind::kOther &&
           !alive.contains(consumer.uid);
  });
  const bool unused = status.reserved_for.empty();
  const bool deleting = claim.metadata.deletion_timestamp.has_value();
  const bool release =
      unused && api::claims::HasFinalizer(claim.metadata) && (left > 0 || deleting);
  if (release) ClearAllocation(status);
  if (left > 0 || (release && claim.status.allocation)) {
    actions.emplace_back(WriteStatus{.status = std::move(status)});
  }
  if (release) actions.emplace_back(RemoveFinalizer{});
  if (unused && !deleting && (owner == Owner::kDone || owner == Owner::kGone)) {
    actions.emplace_back(DeleteClaim{});
  }
  return actions;
}

}  // namespace dray::controllers
