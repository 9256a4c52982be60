// SPDX-License-Identifier: Apache-2.0
// What the claim controller does beside where drivers' own controllers allocate (classic DRA,
// KEP-3063): which kinds there are, and what it writes for the drivers.
#pragma once

#include "api/claims/either_claim.h"
#include "api/core_v1/pod.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1alpha2.h"

namespace dray::controllers {

using api::claims::ClassicClaims;

/// What claims and templates are.
const api::KindInfo& ClaimKind(ClassicClaims classic);
const api::KindInfo& TemplateKind(ClassicClaims classic);

/// Whether one more consumer may be added.
bool MayBeReserved(const api::resource_v1::ResourceClaim& claim);
bool MayBeReserved(const api::resource_v1alpha2::ResourceClaim& claim);

/// The PodSchedulingContext that names the node of a pod that bypassed the scheduler.
api::Object MakeContext(const api::core_v1::Pod& pod);

}  // namespace dray::controllers
