// SPDX-License-Identifier: Apache-2.0
// Counters that devices of a pool share: a device can be taken while what it draws from them is
// left (KEP-4815, partitionable devices).
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "allocator/rules/pools.h"
#include "allocator/rules/release_rules.h"
#include "api/value/quantity.h"
#include "dray/allocated_state.h"

namespace dray::allocator::literal {

/// What is left of the counters of all pools of a node, less what the path of a search draws.
/// Not thread-safe: one search owns it.
class CounterUsage {
 public:
  /// O(1): the counters of a pool are added up when a device of it first asks.
  CounterUsage(const rules::GatheredPools& gathered,
               const AllocatedState& state,
               const Features& features)
      : gathered_(gathered),
        state_(state),
        knows_shares_(rules::RulesOf(features).knows_shares),
        by_pool_(gathered.pools.size()) {}

  /// Draws what the device consumes. False, with nothing drawn, when any counter of its pool would
  /// then be overdrawn, also one that the device does not use: that is upstream's rule, and lets a
  /// counter that committed devices have overdrawn block its whole pool. O(counters of the pool).
  bool Draw(const rules::DeviceEntry& device);
  /// Gives back what an accepted Draw took.
  void GiveBack(const rules::DeviceEntry& device);

  /// A counter of which too little is left.
  struct Shortage {
    std::string_view set, counter;
    api::Quantity wanted;  // by the device; zero: it does not use the counter, see Draw
    api::Quantity left;
  };
  /// Why Draw would say no: the first counter by set and name; nothing when it would not.
  std::optional<Shortage> ShortageFor(const rules::DeviceEntry& device);

 private:
  struct Counter {
    api::Quantity left;   // after committed devices; may be negative
    api::Quantity drawn;  // by this search
  };
  using CounterName = std::pair<std::string_view, std::string_view>;  // set, counter
  using Counters = std::map<CounterName, Counter>;

  Counters& CountersOf(const rules::DeviceEntry& device);
  Counters Uncommitted(const rules::Pool& pool) const;
  bool IsCommitted(const DeviceIdView& device) const;

  const rules::GatheredPools& gathered_;
  const AllocatedState& state_;
  bool knows_shares_;
  std::vector<std::optional<Counters>> by_pool_;  // by pool
};

}  // namespace dray::allocator::literal
