// SPDX-License-Identifier: Apache-2.0
// The answer to a ResourcePoolStatusRequest: what the pools of a driver have, and what is left of
// it (KEP-5677).
#pragma once

#include <cstddef>
#include <span>

#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "api/value/time.h"
#include "base/frozen.h"

namespace dray::api::resource_v1alpha3 {
struct ResourcePoolStatusRequestSpec;
struct ResourcePoolStatusRequestStatus;
}  // namespace dray::api::resource_v1alpha3

namespace dray::controllers {

/// The cluster that is asked about.
struct PoolsView {
  std::span<const Frozen<api::resource_v1::ResourceSlice>> slices;  // with the taints of rules
  std::span<const Frozen<api::resource_v1::ResourceClaim>> claims;
};

/// Only slices of the newest generation of a pool count. A device is allocated when a claim has it,
/// or a share of it, other than for administration; unavailable when a taint keeps requests away.
/// Pools are ordered by name and cut at the limit of the request. What a pool lacks to be counted
/// stands in its validationError. O(slices + devices + results of claims).
api::resource_v1alpha3::ResourcePoolStatusRequestStatus PoolStatusOf(
    const api::resource_v1alpha3::ResourcePoolStatusRequestSpec& request,
    const PoolsView& view,
    api::Time now);

/// Whether slices of a pool in the answer were missing: a later answer may be better.
bool IsIncomplete(const api::resource_v1alpha3::ResourcePoolStatusRequestStatus& status);

}  // namespace dray::controllers
