// SPDX-License-Identifier: Apache-2.0
// Devices that must be made ready for the chosen node before the pod may be bound to it: what a
// claim says about their binding conditions (KEP-5007).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "api/resource_v1/allocation.h"
#include "api/resource_v1/claim.h"
#include "base/world.h"

namespace dray::scheduler::inline cluster {

/// Whether any of the devices has to be made ready.
bool HasBindingConditions(const api::resource_v1::AllocationResult& allocation);

/// How far the devices of a claim are.
struct BindingState {
  enum class Kind : uint8_t { kReady, kWaits, kFailed };
  Kind kind = Kind::kReady;
  std::string failure;  // of kFailed, in upstream's words
};

/// Looks at the devices in the order of the allocation, until one is not ready: it must have all
/// its binding conditions True in status.devices, and none of its failure conditions, which are
/// looked at first. A claim without an allocation waits. O(devices × conditions).
BindingState BindingStateOf(const api::resource_v1::ResourceClaim& claim);

/// Whether the devices had `timeout` to get ready. Never without a time of the allocation.
bool HasTimedOut(const api::resource_v1::AllocationResult& allocation,
                 std::chrono::nanoseconds timeout,
                 WallTime now);

/// How long ago the devices were allocated. The allocation says when.
std::chrono::nanoseconds AgeOf(const api::resource_v1::AllocationResult& allocation, WallTime now);

}  // namespace dray::scheduler::inline cluster
