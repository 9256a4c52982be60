// SPDX-License-Identifier: Apache-2.0
// The scopes of ResourceQuotas, which select the objects that a quota counts.
#pragma once

#include "api/core_v1/resource_quota.h"
#include "api/object.h"

namespace dray::api::quota {

/// Whether the scopes of the quota select the object.
bool IsInScope(const core_v1::ResourceQuotaSpec& quota, const Object& object);

}  // namespace dray::api::quota
