// SPDX-License-Identifier: Apache-2.0
// Rules for Leases.
#pragma once

#include <vector>

#include "api/coordination_v1.h"
#include "api/validation/field_error.h"

namespace dray::api::validation {

/// A lease lasts some seconds, and changes hands no less than never. Its strategy is one of
/// Kubernetes' or has a domain, and who names a preferred holder names a strategy.
std::vector<ErrorCause> ValidateLease(const coordination_v1::Lease& lease, const Profile& profile);

}  // namespace dray::api::validation
