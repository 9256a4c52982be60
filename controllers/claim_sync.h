// SPDX-License-Identifier: Apache-2.0
// The end of a claim's life: consumers leave, the allocation is taken back, generated claims go.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"

namespace dray::controllers {

/// Whether `pod` is done with its claims for ever: finished, or deleted before it was scheduled.
bool IsDone(const api::core_v1::Pod& pod);

/// The pod a claim was generated for.
enum class Owner : uint8_t {
  kNone,  // the claim was not generated for a pod
  kNeedsIt,
  kDone,
  kGone,  // deleted, or replaced by another pod of that name
};

/// Replaces the status of the claim.
struct WriteStatus {
  api::resource_v1::ResourceClaimStatus status;
};
struct RemoveFinalizer {};
struct DeleteClaim {};
using ClaimAction = std::variant<WriteStatus, RemoveFinalizer, DeleteClaim>;

/// What must happen to `claim` when of the pods and groups that it is kept for only those with uids
/// in `alive` are left. The
/// runner performs the actions in order, each on the object the one before left, and drops the rest
/// when one fails; the next event starts afresh.
///
/// The last consumer takes the allocation with it, provided the claim carries our finalizer:
/// without it somebody else manages the allocation. An allocation that nobody has reserved stays,
/// unless the claim is being deleted (KEP-4381).
std::vector<ClaimAction> Reconcile(const api::resource_v1::ResourceClaim& claim,
                                   const std::set<std::string>& alive,
                                   Owner owner);

}  // namespace dray::controllers
