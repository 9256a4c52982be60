// SPDX-License-Identifier: Apache-2.0
// Applies DeviceTaintRules, with which administrators taint devices, to slices before the allocator
// reads them (KEP-5055; upstream's resourceslice/tracker).
#pragma once

#include <span>
#include <vector>

#include "api/release.h"
#include "api/resource_v1/device_taint_rule.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "dray/device_id.h"

namespace dray::allocator::inline v0 {

/// Whether the rule selects the device: its driver, pool and device name equal those that the rule
/// names. A rule without a selector matches nothing; up to 1.36 it matched everything.
bool MatchesDevice(const api::resource_v1::DeviceTaintRule& rule,
                   const DeviceIdView& device,
                   api::Release release = api::Release::kNewest);

/// Returns the slices with the taints of the rules after the devices' own, rules in the order
/// given. Slices without a matching rule are the same objects. Ignores classes and expressions in
/// rules (1.33, 1.34), as later releases do. O(slices × rules, devices only where driver and pool
/// match).
std::vector<Frozen<api::resource_v1::ResourceSlice>> WithTaintsOf(
    std::span<const Frozen<api::resource_v1::DeviceTaintRule>> rules,
    std::vector<Frozen<api::resource_v1::ResourceSlice>> slices,
    api::Release release = api::Release::kNewest);

}  // namespace dray::allocator::inline v0
