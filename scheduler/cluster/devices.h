// SPDX-License-Identifier: Apache-2.0
// Which devices are taken: by allocations in the cluster, and by allocations that this scheduler is
// about to write. Updated with every change of a claim, so an attempt does not iterate over claims.
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

/// A device is given to a second claim only if this class is wrong. Hence one rule: a device in
/// flight is released only after the claim that holds it has been seen with its allocation, or
/// after the attempt was undone (KEP-4381; section "assume" of docs/design/control-plane.md).
///
/// Not thread-safe.
class TakenDevices {
 public:
  /// If `features` allow shared devices, a share leaves the rest of its device to other claims.
  explicit TakenDevices(const allocator::Features& features = {}) : features_(features) {}

  /// Records the current state of a claim; null: the claim is gone.
  void SetClaim(const std::string& uid, const api::resource_v1::ResourceClaim* claim);

  /// Holds the devices of `allocation` for the claim, which is then in flight. False if it already
  /// is.
  bool Reserve(const std::string& uid, const api::resource_v1::AllocationResult& allocation);
  /// Adds a holder to a claim in flight. It stays in flight until each holder has called Unreserve.
  void Share(const std::string& uid);
  void Unreserve(const std::string& uid);
  bool in_flight(std::string_view uid) const { return in_flight_.contains(uid); }

  /// All that is taken.
  const allocator::AllocatedState& state() const { return state_; }
  /// Applies to `snapshot` the changes since the last call. False: there were none.
  /// O(devices that changed).
  bool BringUpToDate(allocator::Snapshot& snapshot);

 private:
  using Device = allocator::AllocatedPart;
  using Devices = std::vector<Device>;

  void Take(const Devices& devices);
  void Free(const Devices& devices);
  void AddToState(const Device& device);
  void RemoveFromState(const Device& device);

  const allocator::Features features_;
  allocator::AllocatedState state_;
  std::set<allocator::DeviceId> changed_;  // since BringUpToDate
  // The number of holders: claim and attempt, or more claims after another scheduler's mistake.
  std::map<allocator::SharedDeviceId, int> holders_;
  std::map<std::string, Devices, std::less<>> allocated_;  // by claim uid
  struct InFlight {
    Devices devices;
    size_t holders = 1;
  };
  std::map<std::string, InFlight, std::less<>> in_flight_;
};

}  // namespace dray::scheduler::inline cluster
