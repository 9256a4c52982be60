// SPDX-License-Identifier: Apache-2.0
// Devices that are, or cost, resources of their node such as processors and memory (KEP-5517): what
// the claims of a pod take of the node by them.
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
#include "base/published.h"
#include "base/result.h"
#include "dray/allocated_state.h"

namespace dray::scheduler::inline cluster {

/// The device of a result, if it takes resources of its node; else null.
using NodeAllocatableDevice = std::function<const api::resource_v1::Device*(
    const api::resource_v1::DeviceRequestAllocationResult& result)>;

/// All devices of the cluster that take resources of their nodes. One thread.
class NodeAllocatableDevices {
 public:
  /// The slice is now as `slice` says; null: it is gone. O(devices of the slice).
  void SetSlice(const std::string& name, const Frozen<api::resource_v1::ResourceSlice>& slice);
  /// In the newest generation of its pool. Valid until the next SetSlice.
  const api::resource_v1::Device* Find(
      const api::resource_v1::DeviceRequestAllocationResult& result) const;
  bool empty() const { return devices_.empty(); }

 private:
  using Slice = Frozen<api::resource_v1::ResourceSlice>;
  struct Place {
    Slice slice;
    size_t index;
  };
  /// By the name of the slice: a pool in change may show a device twice.
  std::map<allocator::DeviceId, std::map<std::string, Place>> devices_;
  std::map<std::string, Slice> slices_;
};

/// What a claim of the pod has got.
struct ClaimAllocation {
  std::string namespace_, name;
  const api::resource_v1::AllocationResult* allocation;  // null: nothing
};

/// Whether a device of the allocation is itself a resource of the node; such a claim cannot be
/// shared by pods.
bool HasMappedDevice(const api::resource_v1::AllocationResult& allocation,
                     const NodeAllocatableDevice& find);

using NodeAllocatableStatuses = std::vector<api::core_v1::NodeAllocatableResourceClaimStatus>;

/// What the status of the pod says about this, by name of claim; claims that take nothing are left
/// out.
///
/// Errors, in upstream's words: kInvalid  a device is a share of a capacity that its result does
/// not consume.
Result<NodeAllocatableStatuses> TakenByClaims(const api::core_v1::Pod& pod,
                                              std::span<const ClaimAllocation> claims,
                                              const NodeAllocatableDevice& find);

}  // namespace dray::scheduler::inline cluster
