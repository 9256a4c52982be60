// SPDX-License-Identifier: Apache-2.0
// Devices that are, or consume, resources of their node such as CPU and memory (KEP-5517): how much
// of the node the claims of a pod take through them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1/pod.h"
#include "api/resource_v1/allocation.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/result.h"
#include "dray/allocated_state.h"

namespace dray::scheduler::inline cluster {

/// The device of a result, if it takes resources of its node; else null.
using NodeAllocatableDevice = std::function<const api::resource_v1::Device*(
    const api::resource_v1::DeviceRequestAllocationResult& result)>;

/// All devices of the cluster that take resources of their nodes. Not thread-safe.
class NodeAllocatableDevices {
 public:
  /// Records the current state of a slice; null: the slice is gone. O(devices of the slice).
  void SetSlice(const std::string& name, const Frozen<api::resource_v1::ResourceSlice>& slice);
  /// The device in the newest generation of its pool. Valid until the next SetSlice.
  const api::resource_v1::Device* Find(
      const api::resource_v1::DeviceRequestAllocationResult& result) const;
  bool empty() const { return devices_.empty(); }

 private:
  using Slice = Frozen<api::resource_v1::ResourceSlice>;
  struct Place {
    Slice slice;
    size_t index;
  };
  /// By the name of the slice, because a pool under update may show a device twice.
  std::map<allocator::DeviceId, std::map<std::string, Place>> devices_;
  std::map<std::string, Slice> slices_;
};

/// The allocation of one of the pod's claims.
struct ClaimAllocation {
  std::string namespace_, name;
  const api::resource_v1::AllocationResult* allocation;  // null: nothing
};

/// Whether a device of the allocation is itself a resource of the node; such a claim cannot be
/// shared by pods.
bool HasMappedDevice(const api::resource_v1::AllocationResult& allocation,
                     const NodeAllocatableDevice& find);

using NodeAllocatableStatuses = std::vector<api::core_v1::NodeAllocatableResourceClaimStatus>;

/// The entries for the pod's status, by name of claim. Claims that take nothing are left out.
///
/// Errors, in upstream's words: kInvalid  a device takes a share of a capacity that its result does
/// not consume.
Result<NodeAllocatableStatuses> TakenByClaims(const api::core_v1::Pod& pod,
                                              std::span<const ClaimAllocation> claims,
                                              const NodeAllocatableDevice& find);

}  // namespace dray::scheduler::inline cluster
