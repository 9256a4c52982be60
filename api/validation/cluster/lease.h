// SPDX-License-Identifier: Apache-2.0
// Rules for Leases.
#pragma once

#include <vector>

#include "api/coordination_v1.h"
#include "api/validation/field_error.h"

namespace dray::api::validation::inline cluster {

/// The duration is positive and the number of transitions is not negative. The strategy is one of
/// Kubernetes' or has a domain, and a preferred holder requires a strategy.
std::vector<ErrorCause> ValidateLease(const coordination_v1::Lease& lease, const Profile& profile);

}  // namespace dray::api::validation::inline cluster
