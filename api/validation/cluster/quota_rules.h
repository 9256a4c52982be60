// SPDX-License-Identifier: Apache-2.0
// Rules for the limits of a namespace: ResourceQuota and LimitRange.
#pragma once

#include <vector>

#include "api/core_v1/limit_range.h"
#include "api/core_v1/resource_quota.h"
#include "api/validation/field_error.h"

namespace dray::api::validation::inline cluster {

/// Names must be known or have a domain, amounts must not be negative, and scopes must fit the
/// names. The scopes of a quota are immutable; `old` is null for a new one.
std::vector<ErrorCause> ValidateResourceQuota(const core_v1::ResourceQuota& quota,
                                              const core_v1::ResourceQuota* old);
/// Names and amounts of the status.
std::vector<ErrorCause> ValidateResourceQuotaStatus(const core_v1::ResourceQuota& quota);

/// A type must have only one entry, and its bounds must not contradict each other.
std::vector<ErrorCause> ValidateLimitRange(const core_v1::LimitRange& range);

}  // namespace dray::api::validation::inline cluster
