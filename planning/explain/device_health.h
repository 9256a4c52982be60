// SPDX-License-Identifier: Apache-2.0
// Devices that are reported as broken: by kubelets in the status of pods, by drivers in the status
// of claims.
#pragma once

#include <set>
#include <span>

#include "api/core_v1/pod.h"
#include "api/resource_v1/claim.h"
#include "base/frozen.h"
#include "dray/device_id.h"

namespace dray::planning::inline explain {

/// The devices of allocated claims that have the condition Ready "False" in the claim's status, or
/// are Unhealthy in a pod's status. A pod's status names a device as driver/pool/device, or by its
/// name in the container runtime. The latter means the claim's only result for that request, or
/// else the result whose device name it ends with. O(objects * log).
std::set<allocator::DeviceId, allocator::DeviceIdLess> UnhealthyDevices(
    std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
    std::span<const api::core_v1::Pod* const> pods);

}  // namespace dray::planning::inline explain
