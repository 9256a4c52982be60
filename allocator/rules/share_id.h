// SPDX-License-Identifier: Apache-2.0
// Ids that distinguish the shares of one device.
#pragma once

#include <string>

#include "allocator/rules/plan.h"
#include "allocator/rules/pools.h"

namespace dray::allocator::rules {

/// A UUID in lower case, made from the names of claim, request and device: a request gets a device
/// at most once, so it differs from that of every other share. Upstream's is random; this one keeps
/// the allocator a function of its input.
std::string ShareIdOf(const ClaimPlan& plan, const Variant& variant, const DeviceEntry& device);

}  // namespace dray::allocator::rules
