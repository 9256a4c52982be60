// SPDX-License-Identifier: Apache-2.0
// Devices that somebody says are broken: kubelets in the status of pods, drivers in the status of
// claims.
#pragma once

#include <set>
#include <span>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "base/published.h"
#include "dray/device_id.h"

namespace dray::planning::inline explain {

/// Of devices of allocated claims: those whose status in the claim has the condition Ready with
/// "False", and those that a pod's status calls Unhealthy. There a device is named
/// driver/pool/device, or by its name in the container runtime, of which the claim's only result
/// for that request, or else the one with the device's name at its end, is meant. O(objects * log).
std::set<allocator::DeviceId, allocator::DeviceIdLess> UnhealthyDevices(
    std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
    std::span<const api::core_v1::Pod* const> pods);

}  // namespace dray::planning::inline explain
