// SPDX-License-Identifier: Apache-2.0
// Binding conditions (KEP-5007): whether the devices of a claim are ready, so that the pod may be
// bound to its node.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "api/resource_v1/allocation.h"
#include "api/resource_v1/claim.h"
#include "base/world.h"

namespace dray::scheduler::inline cluster {

/// Whether any of the devices has binding conditions.
bool HasBindingConditions(const api::resource_v1::AllocationResult& allocation);

/// The progress of a claim's devices.
struct BindingState {
  enum class Kind : uint8_t { kReady, kWaits, kFailed };
  Kind kind = Kind::kReady;
  std::string failure;  // of kFailed, in upstream's words
};

/// Checks the devices in the order of the allocation, up to the first that is not ready. A device
/// is ready if status.devices shows none of its failure conditions, which are checked first, and
/// all its binding conditions as True. A claim without an allocation is not ready.
/// O(devices × conditions).
BindingState BindingStateOf(const api::resource_v1::ResourceClaim& claim);

/// Whether the devices have had `timeout` to get ready. False if the allocation has no timestamp.
bool HasTimedOut(const api::resource_v1::AllocationResult& allocation,
                 std::chrono::nanoseconds timeout,
                 WallTime now);

/// The time since the devices were allocated. The allocation must have a timestamp.
std::chrono::nanoseconds AgeOf(const api::resource_v1::AllocationResult& allocation, WallTime now);

}  // namespace dray::scheduler::inline cluster
