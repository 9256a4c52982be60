// SPDX-License-Identifier: Apache-2.0
// What the claim controller does beside where drivers' own controllers allocate (classic DRA,
// KEP-3063): which kinds there are, and what it tells the drivers.
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

/// Whether a consumer may be added that nobody has added yet.
bool MayBeReserved(const api::resource_v1::ResourceClaim& claim);
bool MayBeReserved(const api::resource_v1alpha2::ResourceClaim& claim);

/// What tells the drivers of a pod that bypassed the scheduler where it is.
api::Object MakeContext(const api::core_v1::Pod& pod);

}  // namespace dray::controllers
