// SPDX-License-Identifier: Apache-2.0
// Compatibility groups: which devices may draw from the same counter set at the same time
// (KEP-5963, 1.37).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "allocator/rules/pools.h"
#include "api/resource_v1/slice.h"
#include "dray/allocated_state.h"

namespace dray::allocator::literal {

/// The groups that all devices on a counter set have in common: those committed and those on the
/// path of a search. Not thread-safe: one search owns it.
class GroupUsage {
 public:
  /// O(1). The committed devices of a pool are read at the first check of one of its devices.
  GroupUsage(const rules::GatheredPools& gathered, const AllocatedState& state)
      : gathered_(gathered), state_(state), by_pool_(gathered.pools.size()) {}

  /// Adds the device to all counter sets it consumes from. False, with nothing changed, when it has
  /// no group in common with the devices on one of them; devices without groups go together.
  bool Join(const rules::DeviceEntry& device);
  /// Undoes an accepted Join; the one accepted last is undone first.
  void Leave(const rules::DeviceEntry& device);

 private:
  /// The groups that devices name or have in common; nothing when they name none.
  using Groups = std::optional<std::set<std::string_view>>;
  /// What the members of a counter set have in common after each of them came.
  using History = std::vector<Groups>;
  using Histories = std::map<std::string_view, History>;

  static Groups GroupsOf(const api::resource_v1::DeviceCounterConsumption& consumption);
  static bool Admits(const History& history, const Groups& groups);
  static void Add(History& history, const Groups& groups);
  Histories& HistoriesOf(const rules::DeviceEntry& device);
  Histories Committed(const rules::Pool& pool) const;

  const rules::GatheredPools& gathered_;
  const AllocatedState& state_;
  std::vector<std::optional<Histories>> by_pool_;  // by pool
};

}  // namespace dray::allocator::literal
