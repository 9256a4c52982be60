// SPDX-License-Identifier: Apache-2.0
// The claims of a pod, also those that the controller of claims would only make from templates:
//
//   const auto claims = dray::allocator::ClaimsOf(pod, {.claims = stored, .templates = templates});
//   if (!claims) return claims.error();   // names the claim or template that does not exist
//   const dray::allocator::Attempt attempt(cluster, claims->to_allocate);   // <dray/allocator.h>
#pragma once

#include <span>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/claim_template.h"
#include "base/frozen.h"
#include "base/result.h"

namespace dray::allocator::inline v0 {

/// Where the claims of pods come from. Objects of other namespaces do not matter.
struct ClaimSources {
  std::span<const Frozen<api::resource_v1::ResourceClaim>> claims = {};
  std::span<const Frozen<api::resource_v1::ResourceClaimTemplate>> templates = {};
};

/// The claims of a pod, each list in the order of spec.resourceClaims.
struct PodClaims {
  /// Without an allocation: what an Attempt is asked for.
  std::vector<Frozen<api::resource_v1::ResourceClaim>> to_allocate;
  /// With one. The pod must run where they can be used (status.allocation.nodeSelector).
  std::vector<Frozen<api::resource_v1::ResourceClaim>> allocated;
};

/// The claims that the entries of the pod name, or that the pod's status records for them. For an
/// entry with a template and without a record, the claim that the controller would make: metadata
/// and spec of the template, owned by the pod. It is called POD-ENTRY, and its uid, from which ids
/// of shares are derived, depends on namespace, pod and entry alone, so two calls agree. An entry
/// that needs no claim according to the status has none. Claims for extended resources and those
/// that a PodGroup shares are not made. O(entries × (claims + templates)).
///
/// Errors: kNotFound  a claim or template does not exist; the message names pod, entry and object.
/// kInvalid  an entry names neither.
Result<PodClaims> ClaimsOf(const api::core_v1::Pod& pod, const ClaimSources& sources);

}  // namespace dray::allocator::inline v0
