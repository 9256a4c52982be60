// SPDX-License-Identifier: Apache-2.0
// Accounts for the devices of a pool: the capacity that shares consume of a device, and the
// counters of the pool that devices consume. The allocator uses it before it allocates a device,
// the server when a claim is written.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_request.h"
#include "api/resource_v1/slice.h"
#include "api/value/map.h"
#include "api/value/quantity.h"

namespace dray::api::claims {

/// The consumed amount of each capacity of a device, by name.
using Amounts = std::map<std::string, Quantity, std::less<>>;

/// The sum of the capacity `name` in all `parts`. A null part counts as zero. O(parts · log n).
Quantity TotalOf(std::string_view name, std::span<const Amounts* const> parts);

/// A capacity whose consumption exceeds it.
struct ExceededCapacity {
  std::string_view name;  // of the device's map
  Quantity taken;         // by all parts
};
/// The first capacity of the device, by name, that all parts together exceed.
std::optional<ExceededCapacity> FindExceeded(const resource_v1::Device& device,
                                             std::span<const Amounts* const> parts);

/// The capacity that `name` refers to, or null: the one with exactly that name, or else the one
/// whose name differs only by the domain of `driver`, which may be left out.
const SharedMap<resource_v1::DeviceCapacity>::value_type* FindCapacity(
    const resource_v1::Device& device, std::string_view name, std::string_view driver);

/// The amounts that a share with `consumed` takes of the device. Amounts under two spellings of one
/// name add up. A capacity that is not named, or has a negative amount, is taken completely.
Amounts AmountsOf(const resource_v1::Device& device,
                  const Map<Quantity>& consumed,
                  std::string_view driver);

/// Whether the claim's request `request` ("name", or "name/subrequest") has admin access, which
/// takes nothing. The field in a result is only a copy of this.
bool AsksForAdminAccess(const resource_v1::ResourceClaim& claim, std::string_view request);
/// The capacity requirements of the request with that name; null if there are none.
const resource_v1::CapacityRequirements* CapacityRequestOf(const resource_v1::ResourceClaim& claim,
                                                           std::string_view request);

/// The counters of one pool, less the consumption of its devices (KEP-4815, partitionable devices).
/// Refers to the sets that were added.
class CounterAccount {
 public:
  using CounterName = std::pair<std::string_view, std::string_view>;  // set, counter

  /// Returns false if there is a set with that name already; the new counters then count.
  bool Add(const resource_v1::CounterSet& set);
  /// Number of counters in all sets, which Draw checks.
  size_t size() const { return counters_.size(); }
  /// Subtracts an allocated device. Ignores counters that no set has.
  void Commit(const resource_v1::Device& device);

  /// Subtracts the device's consumption. Returns false, and subtracts nothing, if any counter of
  /// the pool would then be negative, even one that the device does not use. That is upstream's
  /// rule; a counter that is already negative therefore blocks its whole pool. O(counters of the
  /// pool).
  bool Draw(const resource_v1::Device& device);
  /// Returns the amounts that a successful Draw took.
  void GiveBack(const resource_v1::Device& device);

  /// A counter whose rest is too small.
  struct Shortage {
    std::string_view set, counter;
    Quantity wanted;  // by the device; zero if it does not use the counter, see Draw
    Quantity left;
  };
  /// Why Draw would return false: the first such counter by set and name; nothing if it would
  /// succeed.
  std::optional<Shortage> ShortageFor(const resource_v1::Device& device) const;

  /// The first counter that the device draws from and no set has.
  std::optional<CounterName> FindUnknown(const resource_v1::Device& device) const;

 private:
  struct Counter {
    Quantity left;   // after committed devices; may be negative
    Quantity drawn;  // by accepted Draws
  };
  std::map<std::string_view, const resource_v1::CounterSet*> sets_;
  std::map<CounterName, Counter> counters_;
};

}  // namespace dray::api::claims
