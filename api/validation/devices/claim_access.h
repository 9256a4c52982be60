// SPDX-License-Identifier: Apache-2.0
// Authorization of changes to the status of a claim (KEP-4381, synthetic subresources of 1.36).
#pragma once

#include "api/resource_v1/claim.h"
#include "api/validation/field_error.h"
#include "api/validation/options.h"

namespace dray::api::validation::inline devices {

/// Checks the rights of `options.caller`, if there is one: schedulers change the allocation and the
/// reservations, drivers change their devices' status. Changes without the right are Forbidden.
void CheckAccess(const resource_v1::ResourceClaim& claim,
                 const resource_v1::ResourceClaim& old,
                 const Options& options,
                 FieldErrors& errors);

}  // namespace dray::api::validation::inline devices
