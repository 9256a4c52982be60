// SPDX-License-Identifier: Apache-2.0
// Devices that several requests share, each taking part of the capacity (KEP-5075): how much a
// request takes under the policy of the device, and whether that is left.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "allocator/rules/pools.h"
#include "allocator/rules/release_rules.h"
#include "api/resource_v1/device_request.h"
#include "api/resource_v1/slice.h"
#include "base/result.h"
#include "dray/allocated_state.h"

namespace dray::allocator::rules {

/// Whether the device may be given to several requests at once under these switches.
bool IsShareable(const api::resource_v1::Device& device, const Features& features);

/// How much of each capacity of the device a request takes: what it asks for, rounded up as the
/// policy of the capacity says; where it asks for nothing the policy's default, or else everything.
/// `request` may be null. O(capacities).
///
/// Errors: kInvalid with upstream's words: an amount is negative, or cannot be counted in the units
/// of the policy; also a policy whose step is zero or lacks a minimum, on which upstream crashes.
Result<ConsumedCapacity> AmountsTaken(const api::resource_v1::Device& device,
                                      const api::resource_v1::CapacityRequirements* request,
                                      const Features& features);

/// Whether the device has every capacity asked for, the amounts taken follow its policies, and that
/// much is left besides what is `committed` and what the search has given (null: nothing).
/// Errors: as AmountsTaken, before anything else is looked at.
Result<bool> FitsCapacity(const api::resource_v1::Device& device,
                          const api::resource_v1::CapacityRequirements* request,
                          const Features& features,
                          const ConsumedCapacity* committed = nullptr,
                          const ConsumedCapacity* given = nullptr);

/// The amounts, if the request may have the device as long as no other request has any of it.
/// Errors: as AmountsTaken.
Result<std::optional<ConsumedCapacity>> AmountsThatFit(
    const api::resource_v1::Device& device,
    const api::resource_v1::CapacityRequirements* request,
    const Features& features);

/// Whether amounts that fit are left besides what is `committed` and `given` (null: nothing).
bool HasRoom(const api::resource_v1::Device& device,
             const ConsumedCapacity& amounts,
             const ConsumedCapacity* committed,
             const ConsumedCapacity* given);

/// What the path of a search has given of shared devices. One search owns it.
class CapacityUsage {
 public:
  CapacityUsage(const GatheredPools& gathered,
                const AllocatedState& state,
                const Features& features)
      : state_(state),
        features_(features),
        rules_(RulesOf(features)),
        given_(gathered.device_count) {}

  /// Whether there is a share of the device already, committed or given: then its counters are
  /// paid.
  bool IsShared(const DeviceEntry& device) const;
  /// FitsCapacity in what is left.
  Result<bool> Fits(const DeviceEntry& device,
                    const api::resource_v1::CapacityRequirements* request);
  /// AmountsTaken of the device.
  Result<ConsumedCapacity> Amounts(const DeviceEntry& device,
                                   const api::resource_v1::CapacityRequirements* request) const;
  /// Gives one more share.
  void Give(const DeviceEntry& device, const ConsumedCapacity& amounts);
  /// Takes back the share that was given last.
  void TakeBack(const DeviceEntry& device, const ConsumedCapacity& amounts);

 private:
  using Request = api::resource_v1::CapacityRequirements;
  struct Shares {
    size_t count = 0;
    ConsumedCapacity total;
  };

  const Request* Grown(const Request* request) const;
  void Grow(const DeviceEntry& device, const Request& request);

  const AllocatedState& state_;
  const Features& features_;
  const Rules& rules_;
  std::vector<Shares> given_;                // by device
  std::map<const Request*, Request> grown_;  // what requests have become (big_requests_grow)
};

}  // namespace dray::allocator::rules
