// SPDX-License-Identifier: Apache-2.0
// The AllocationResult of a claim, from what the search decided.
#pragma once

#include <span>
#include <vector>

#include "allocator/rules/plan.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/allocation.h"
#include "base/result.h"

namespace dray::allocator::rules {

/// Devices in the order they were taken, the configuration that applies to them, and the nodes they
/// can be reached from. `alternatives`: which variant each request took.
///
/// Errors: kInvalid  the node selector of a device has several terms and cannot be combined.
Result<api::resource_v1::AllocationResult> BuildResult(const ClaimPlan& plan,
                                                       std::span<const Placement> placements,
                                                       std::span<const size_t> alternatives,
                                                       const api::core_v1::Node& node,
                                                       const Features& features);

}  // namespace dray::allocator::rules
