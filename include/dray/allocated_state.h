// SPDX-License-Identifier: Apache-2.0
// The devices of a cluster, and parts of them, that are allocated.
#pragma once

#include <cstddef>
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
  size_t shares = 0;                              // how many shares of it
  std::optional<ConsumedCapacity> capacity = {};  // by all shares together

  bool IsNothing() const { return !whole && shares == 0 && !capacity.has_value(); }
};

/// What one result of an allocation takes.
struct AllocatedPart {
  SharedDeviceId id;               // an empty share: the whole device
  ConsumedCapacity consumed = {};  // by the share
  bool operator==(const AllocatedPart&) const = default;
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

/// The part of `state` about one device. O(its shares).
inline DeviceUse UseOf(const AllocatedState& state, const DeviceIdView& device) {
  DeviceUse use{.whole = state.devices.contains(device)};
  auto share = state.shares.lower_bound({.device = DeviceId::Of(device), .share = {}});
  for (; share != state.shares.end() && share->device.view() == device; ++share) ++use.shares;
  if (const ConsumedCapacity* capacity = state.FindCapacity(device)) use.capacity = *capacity;
  return use;
}

}  // namespace dray::allocator::inline v0
