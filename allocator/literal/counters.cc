// SPDX-License-Identifier: Apache-2.0
#include "allocator/literal/counters.h"

#include "api/resource_v1/slice.h"

namespace dray::allocator::literal {

namespace v1 = api::resource_v1;

bool CounterUsage::IsCommitted(const DeviceIdView& device) const {
  return knows_shares_ ? state_.IsAllocated(device) : state_.devices.contains(device);
}

CounterUsage::Account CounterUsage::Uncommitted(const rules::Pool& pool) const {
  Account account;
  for (const v1::CounterSet* set : pool.counter_sets) account.Add(*set);
  rules::ForEachPublished(pool, [&](const v1::Device& device) {
    if (IsCommitted({pool.driver, pool.name, device.name})) account.Commit(device);
  });
  return account;
}

CounterUsage::Account& CounterUsage::AccountOf(const rules::DeviceEntry& device) {
  std::optional<Account>& of_pool = by_pool_[device.pool];
  if (!of_pool.has_value()) of_pool = Uncommitted(gathered_.pools[device.pool]);
  return *of_pool;
}

uint64_t CounterUsage::WorkOf(const rules::DeviceEntry& device) {
  constexpr uint64_t kPerCounter = 64;  // a name is found, and an amount compared
  uint64_t drawn = 1;
  for (const v1::DeviceCounterConsumption& consumption : device.device->consumes_counters)
    drawn += 4 * (consumption.counters.size() + consumption.compatibility_groups.size());
  return kPerCounter * (drawn + AccountOf(device).size());
}

bool CounterUsage::Draw(const rules::DeviceEntry& device) {
  return AccountOf(device).Draw(*device.device);
}

void CounterUsage::GiveBack(const rules::DeviceEntry& device) {
  AccountOf(device).GiveBack(*device.device);
}

std::optional<CounterUsage::Shortage> CounterUsage::ShortageFor(const rules::DeviceEntry& device) {
  return AccountOf(device).ShortageFor(*device.device);
}

}  // namespace dray::allocator::literal
