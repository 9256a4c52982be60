// SPDX-License-Identifier: Apache-2.0
// The scopes of ResourceQuotas: which objects a quota counts.
#pragma once

#include "api/core_v1/resource_quota.h"
#include "api/object.h"

namespace dray::api::quota {

/// Whether the object is of those that the scopes of the quota select.
bool IsInScope(const core_v1::ResourceQuotaSpec& quota, const Object& object);

}  // namespace dray::api::quota
