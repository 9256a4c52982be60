// SPDX-License-Identifier: Apache-2.0
// Counters that devices of a pool share: a device can be taken while what it draws from them is
// left (KEP-4815, partitionable devices).
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "allocator/allocated_state.h"
#include "allocator/rules/pools.h"
#include "api/value/quantity.h"

namespace dray::allocator {

/// What is left of the counters of all pools of a node, less what the path of a search draws.
/// Not thread-safe: one search owns it.
class CounterBooks {
 public:
  /// O(1): the counters of a pool are added up when a device of it first asks.
  CounterBooks(const GatheredPools& gathered, const AllocatedState& state, const Features& features)
      : gathered_(gathered),
        state_(state),
        knows_shares_(features.rules().knows_shares),
        books_(gathered.pools.size()) {}

  /// Draws what the device consumes. False, with nothing drawn, when any counter of its pool would
  /// then be overdrawn, also one that the device does not use: that is upstream's rule, and lets a
  /// counter that committed devices have overdrawn block its whole pool. O(counters of the pool).
  bool Draw(const DeviceEntry& device);
  /// Gives back what an accepted Draw took.
  void GiveBack(const DeviceEntry& device);

 private:
  struct Counter {
    api::Quantity left;   // after committed devices; may be negative
    api::Quantity drawn;  // by this search
  };
  using CounterName = std::pair<std::string_view, std::string_view>;  // set, counter
  using Book = std::map<CounterName, Counter>;

  Book& BookOf(const DeviceEntry& device);
  Book Open(const Pool& pool) const;
  bool IsCommitted(const DeviceIdView& device) const;

  const GatheredPools& gathered_;
  const AllocatedState& state_;
  bool knows_shares_;
  std::vector<std::optional<Book>> books_;  // by pool
};

}  // namespace dray::allocator
