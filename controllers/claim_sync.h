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
#include "api/resource_v1alpha2.h"

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
/// The same of a claim of the classic generation.
struct WriteClassicStatus {
  api::resource_v1alpha2::ResourceClaimStatus status;
};
struct RemoveFinalizer {};
struct DeleteClaim {};
using ClaimAction = std::variant<WriteStatus, WriteClassicStatus, RemoveFinalizer, DeleteClaim>;

/// What must happen to `claim` when of the pods and groups that it is kept for only those with uids
/// in `alive` are left. The
/// runner performs the actions in order, each on the object the one before left, and drops the rest
/// when one fails; the next event starts afresh.
///
/// The last consumer takes the allocation with it, provided the claim carries our finalizer:
/// without it another controller manages the allocation. An allocation without reservations stays,
/// unless the claim is being deleted (KEP-4381). What a driver's controller has allocated is not
/// taken back but asked back (KEP-3063, 1.31).
std::vector<ClaimAction> Reconcile(const api::resource_v1::ResourceClaim& claim,
                                   const std::set<std::string>& alive,
                                   Owner owner);

/// The same by the rules of 1.30: a claim whose mode is Immediate keeps its allocation while it is
/// there.
std::vector<ClaimAction> Reconcile(const api::resource_v1alpha2::ResourceClaim& claim,
                                   const std::set<std::string>& alive,
                                   Owner owner);

}  // namespace dray::controllers
