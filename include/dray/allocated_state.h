// SPDX-License-Identifier: Apache-2.0
// The devices of a cluster, and parts of them, that are allocated.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "api/value/quantity.h"
#include "dray/device_id.h"

namespace dray::allocator::inline v0 {

/// The amount consumed of each capacity of a device, by name.
using ConsumedCapacity = std::map<std::string, api::Quantity, std::less<>>;

/// The allocated parts of one device.
struct DeviceUse {
  bool whole = false;                             // as a dedicated device
  bool shared = false;                            // a share of it, by its id
  std::optional<ConsumedCapacity> capacity = {};  // by all shares together

  bool IsNothing() const { return !whole && !shared && !capacity.has_value(); }
};

/// Everything that is allocated: devices of allocated claims, including claims in flight. Results
/// with admin access take nothing.
struct AllocatedState {
  std::set<DeviceId, DeviceIdLess> devices;  // allocated as a whole
  std::set<SharedDeviceId> shares;
  std::map<DeviceId, ConsumedCapacity, DeviceIdLess> capacity;  // by all shares of one together

  /// Returns null if nothing is recorded.
  const ConsumedCapacity* FindCapacity(const DeviceIdView& id) const {
    const auto found = capacity.find(id);
    return found == capacity.end() ? nullptr : &found->second;
  }
  bool HasShare(const DeviceIdView& id) const {
    const auto first = shares.lower_bound({.device = DeviceId::Of(id), .share = {}});
    return first != shares.end() && first->device.view() == id;
  }
  bool IsShared(const DeviceIdView& id) const { return capacity.contains(id) || HasShare(id); }
  bool IsAllocated(const DeviceIdView& id) const { return devices.contains(id) || IsShared(id); }
};

/// The part of `state` about one device.
inline DeviceUse UseOf(const AllocatedState& state, const DeviceIdView& device) {
  DeviceUse use{.whole = state.devices.contains(device), .shared = state.HasShare(device)};
  if (const ConsumedCapacity* capacity = state.FindCapacity(device)) use.capacity = *capacity;
  return use;
}

}  // namespace dray::allocator::inline v0
