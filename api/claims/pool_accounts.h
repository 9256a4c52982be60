// SPDX-License-Identifier: Apache-2.0
// How devices of a pool are counted: what shares take of a device, and what devices draw from the
// counters of their pool. The allocator counts with it before it gives a device away, the server
// when a claim is written.
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

/// How much is taken of each capacity of a device, by name.
using Amounts = std::map<std::string, Quantity, std::less<>>;

/// What all of `parts` take of the capacity `name`. A null part takes nothing. O(parts · log n).
Quantity TotalOf(std::string_view name, std::span<const Amounts* const> parts);

/// A capacity of which more is taken than there is.
struct ExceededCapacity {
  std::string_view name;  // of the device's map
  Quantity taken;         // by all parts
};
/// The first capacity of the device, by name, that all parts together exceed.
std::optional<ExceededCapacity> FindExceeded(const resource_v1::Device& device,
                                             std::span<const Amounts* const> parts);

/// The capacity that `name` means, or null: the one of exactly that name, or else the one whose
/// name differs by the domain of `driver` only, which may be left out.
const Map<resource_v1::DeviceCapacity>::value_type* FindCapacity(const resource_v1::Device& device,
                                                                 std::string_view name,
                                                                 std::string_view driver);

/// What a share that says `consumed` takes of the device: amounts under two spellings of one name
/// add up; a capacity that it does not name, or of which it names a negative amount, it takes
/// whole.
Amounts AmountsOf(const resource_v1::Device& device,
                  const Map<Quantity>& consumed,
                  std::string_view driver);

/// Whether the request of that name ("name", or "name/subrequest") of the claim asks for access for
/// administration, which takes nothing. What a result says of itself is only a copy of this.
bool AsksForAdminAccess(const resource_v1::ResourceClaim& claim, std::string_view request);
/// The capacities asked for by the request of that name; null if there are none.
const resource_v1::CapacityRequirements* CapacityRequestOf(const resource_v1::ResourceClaim& claim,
                                                           std::string_view request);

/// The counters of one pool, less what its devices draw (KEP-4815, partitionable devices). Views
/// into the sets that were added.
class CounterAccount {
 public:
  using CounterName = std::pair<std::string_view, std::string_view>;  // set, counter

  /// False when there is a set of that name already; it counts.
  bool Add(const resource_v1::CounterSet& set);
  /// Counters of all sets: so many does Draw look at.
  size_t size() const { return counters_.size(); }
  /// A device that is taken. Counters that no set has are passed over.
  void Commit(const resource_v1::Device& device);

  /// Draws what the device consumes. False, with nothing drawn, when any counter of the pool would
  /// then be overdrawn, also one that the device does not use: that is upstream's rule, and lets a
  /// counter that committed devices have overdrawn block its whole pool. O(counters of the pool).
  bool Draw(const resource_v1::Device& device);
  /// Gives back what an accepted Draw took.
  void GiveBack(const resource_v1::Device& device);

  /// A counter of which too little is left.
  struct Shortage {
    std::string_view set, counter;
    Quantity wanted;  // by the device; zero: it does not use the counter, see Draw
    Quantity left;
  };
  /// Why Draw would say no: the first counter by set and name; nothing when it would not.
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
