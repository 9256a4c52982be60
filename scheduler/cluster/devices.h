// SPDX-License-Identifier: Apache-2.0
// Which devices are taken: by allocations in the cluster and by those this scheduler is about to
// write. Kept up with every change of a claim, so no attempt walks the claims.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource_v1/claim.h"
#include "dray/allocated_state.h"
#include "dray/features.h"
#include "dray/snapshot.h"

namespace dray::scheduler::inline cluster {

/// A device is given to a second claim only if this is wrong; hence one rule: a device in flight is
/// released only after the claim that holds it has been seen with its allocation, or the attempt
/// was undone (KEP-4381; section "assume" of docs/design/control-plane.md).
///
/// One thread.
class TakenDevices {
 public:
  /// While devices can be shared, a share leaves the rest of its device to others.
  explicit TakenDevices(const allocator::Features& features = {})
      : can_share_(features.consumable_capacity) {}

  /// The claim is now as `claim` says; null: it is gone.
  void SetClaim(const std::string& uid, const api::resource_v1::ResourceClaim* claim);

  /// Holds the devices of `allocation` for the claim: it is in flight. False if it is already.
  bool Reserve(const std::string& uid, const api::resource_v1::AllocationResult& allocation);
  /// One more holds what is in flight for the claim: it stays until each has called Unreserve.
  void Share(const std::string& uid);
  void Unreserve(const std::string& uid);
  bool in_flight(std::string_view uid) const { return in_flight_.contains(uid); }

  /// All that is taken.
  const allocator::AllocatedState& state() const { return state_; }
  /// Changes in `snapshot` what was taken and freed since the last time; false: nothing was.
  /// O(devices concerned).
  bool BringUpToDate(allocator::Snapshot& snapshot);

 private:
  /// A device, or a share of one with what it takes of the capacity.
  struct Device {
    allocator::SharedDeviceId id;  // the share is empty for a whole device
    allocator::ConsumedCapacity consumed;
    bool operator==(const Device&) const = default;
  };
  using Devices = std::vector<Device>;

  template <class Skips>
  Devices DevicesOf(const api::resource_v1::AllocationResult& allocation, Skips skips) const;
  void Take(const Devices& devices);
  void Free(const Devices& devices);
  void AddToState(const Device& device);
  void RemoveFromState(const Device& device);

  const bool can_share_;
  allocator::AllocatedState state_;
  std::set<allocator::DeviceId> changed_;  // since BringUpToDate
  // Who holds it: claim and attempt, or more claims after another scheduler's mistake.
  std::map<allocator::SharedDeviceId, int> holders_;
  std::map<std::string, Devices, std::less<>> allocated_;  // by claim uid
  struct InFlight {
    Devices devices;
    size_t holders = 1;
  };
  std::map<std::string, InFlight, std::less<>> in_flight_;
};

}  // namespace dray::scheduler::inline cluster
