// SPDX-License-Identifier: Apache-2.0
// Counters that devices of a pool share: a device can be taken while what it draws from them is
// left (KEP-4815, partitionable devices).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "allocator/rules/pools.h"
#include "allocator/rules/release_rules.h"
#include "api/claims/pool_accounts.h"
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

  /// As CounterAccount::Draw, of the device's pool.
  bool Draw(const rules::DeviceEntry& device);
  /// What Draw takes, in units of Work.
  uint64_t WorkOf(const rules::DeviceEntry& device);
  /// Gives back what an accepted Draw took.
  void GiveBack(const rules::DeviceEntry& device);

  using Shortage = api::claims::CounterAccount::Shortage;
  /// As CounterAccount::ShortageFor, of the device's pool.
  std::optional<Shortage> ShortageFor(const rules::DeviceEntry& device);

 private:
  using Account = api::claims::CounterAccount;

  Account& AccountOf(const rules::DeviceEntry& device);
  Account Uncommitted(const rules::Pool& pool) const;
  bool IsCommitted(const DeviceIdView& device) const;

  const rules::GatheredPools& gathered_;
  const AllocatedState& state_;
  bool knows_shares_;
  std::vector<std::optional<Account>> by_pool_;  // by pool
};

}  // namespace dray::allocator::literal
