// SPDX-License-Identifier: Apache-2.0
#include "allocator/literal/counters.h"

#include <algorithm>

#include "api/resource_v1/slice.h"

namespace dray::allocator::literal {
namespace {

namespace v1 = api::resource_v1;

/// Calls `visit` with set, counter and amount of all that the device consumes.
template <class Visit>
void ForEachConsumed(const v1::Device& device, Visit visit) {
  for (const v1::DeviceCounterConsumption& consumption : device.consumes_counters) {
    for (const auto& [name, counter] : consumption.counters) {
      visit(std::pair<std::string_view, std::string_view>(consumption.counter_set, name),
            counter.value);
    }
  }
}

}  // namespace

bool CounterUsage::IsCommitted(const DeviceIdView& device) const {
  return knows_shares_ ? state_.IsAllocated(device) : state_.devices.contains(device);
}

CounterUsage::Counters CounterUsage::Uncommitted(const rules::Pool& pool) const {
  Counters counters;
  for (const v1::CounterSet* set : pool.counter_sets) {
    for (const auto& [name, counter] : set->counters)
      counters[{set->name, name}].left = counter.value;
  }
  rules::ForEachPublished(pool, [&](const v1::Device& device) {
    if (!IsCommitted({pool.driver, pool.name, device.name})) return;
    ForEachConsumed(device, [&](const CounterName& name, const api::Quantity& amount) {
      if (const auto found = counters.find(name); found != counters.end())
        found->second.left -= amount;
    });
  });
  return counters;
}

CounterUsage::Counters& CounterUsage::CountersOf(const rules::DeviceEntry& device) {
  std::optional<Counters>& of_pool = by_pool_[device.pool];
  if (!of_pool.has_value()) of_pool = Uncommitted(gathered_.pools[device.pool]);
  return *of_pool;
}

bool CounterUsage::Draw(const rules::DeviceEntry& device) {
  Counters& counters = CountersOf(device);
  ForEachConsumed(*device.device, [&](const CounterName& name, const api::Quantity& amount) {
    if (const auto found = counters.find(name); found != counters.end())
      found->second.drawn += amount;
  });
  const bool suffices = std::ranges::all_of(
      counters, [](const auto& entry) { return entry.second.left >= entry.second.drawn; });
  if (!suffices) GiveBack(device);
  return suffices;
}

void CounterUsage::GiveBack(const rules::DeviceEntry& device) {
  Counters& counters = CountersOf(device);
  ForEachConsumed(*device.device, [&](const CounterName& name, const api::Quantity& amount) {
    if (const auto found = counters.find(name); found != counters.end())
      found->second.drawn -= amount;
  });
}

std::optional<CounterUsage::Shortage> CounterUsage::ShortageFor(const rules::DeviceEntry& device) {
  std::map<CounterName, api::Quantity> wanted;
  ForEachConsumed(*device.device, [&](const CounterName& name, const api::Quantity& amount) {
    wanted[name] += amount;
  });
  for (const auto& [name, counter] : CountersOf(device)) {
    api::Quantity left = counter.left;
    left -= counter.drawn;
    if (left >= wanted[name]) continue;
    return Shortage{
        .set = name.first, .counter = name.second, .wanted = wanted[name], .left = left};
  }
  return std::nullopt;
}

}  // namespace dray::allocator::literal
