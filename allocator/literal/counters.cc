// SPDX-License-Identifier: Apache-2.0
#include "allocator/literal/counters.h"

#include <algorithm>

#include "api/resource_v1/slice.h"

namespace dray::allocator {
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

bool CounterBooks::IsCommitted(const DeviceIdView& device) const {
  return knows_shares_ ? state_.IsAllocated(device) : state_.devices.contains(device);
}

CounterBooks::Book CounterBooks::Open(const Pool& pool) const {
  Book book;
  for (const v1::CounterSet* set : pool.counter_sets) {
    for (const auto& [name, counter] : set->counters) book[{set->name, name}].left = counter.value;
  }
  ForEachPublished(pool, [&](const v1::Device& device) {
    if (!IsCommitted({pool.driver, pool.name, device.name})) return;
    ForEachConsumed(device, [&](const CounterName& name, const api::Quantity& amount) {
      if (const auto found = book.find(name); found != book.end()) found->second.left -= amount;
    });
  });
  return book;
}

CounterBooks::Book& CounterBooks::BookOf(const DeviceEntry& device) {
  std::optional<Book>& book = books_[device.pool];
  if (!book.has_value()) book = Open(gathered_.pools[device.pool]);
  return *book;
}

bool CounterBooks::Draw(const DeviceEntry& device) {
  Book& book = BookOf(device);
  ForEachConsumed(*device.device, [&](const CounterName& name, const api::Quantity& amount) {
    if (const auto found = book.find(name); found != book.end()) found->second.drawn += amount;
  });
  const bool suffices = std::ranges::all_of(
      book, [](const auto& entry) { return entry.second.left >= entry.second.drawn; });
  if (!suffices) GiveBack(device);
  return suffices;
}

void CounterBooks::GiveBack(const DeviceEntry& device) {
  Book& book = BookOf(device);
  ForEachConsumed(*device.device, [&](const CounterName& name, const api::Quantity& amount) {
    if (const auto found = book.find(name); found != book.end()) found->second.drawn -= amount;
  });
}

}  // namespace dray::allocator
