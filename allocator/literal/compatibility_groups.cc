// SPDX-License-Identifier: Apache-2.0
#include "allocator/literal/compatibility_groups.h"

#include <algorithm>
#include <iterator>

namespace dray::allocator {
namespace {

namespace v1 = api::resource_v1;

std::set<std::string_view> Common(const std::set<std::string_view>& a,
                                  const std::set<std::string_view>& b) {
  std::set<std::string_view> common;
  std::ranges::set_intersection(a, b, std::inserter(common, common.end()));
  return common;
}

}  // namespace

bool UsesCompatibilityGroups(const v1::ResourceSlice& slice) {
  return std::ranges::any_of(slice.spec.devices, [](const v1::Device& device) {
    return std::ranges::any_of(device.consumes_counters,
                               [](const v1::DeviceCounterConsumption& consumption) {
                                 return !consumption.compatibility_groups.empty();
                               });
  });
}

GroupBooks::Groups GroupBooks::GroupsOf(const v1::DeviceCounterConsumption& consumption) {
  const auto& names = consumption.compatibility_groups;
  if (names.empty()) return std::nullopt;
  return std::set<std::string_view>(names.begin(), names.end());
}

bool GroupBooks::Admits(const History& history, const Groups& groups) {
  if (history.empty()) return true;
  const Groups& members = history.back();
  if (!groups.has_value() || !members.has_value()) return groups == members;
  return !Common(*members, *groups).empty();
}

void GroupBooks::Add(History& history, const Groups& groups) {
  if (history.empty()) {
    history.push_back(groups);
    return;
  }
  // Committed devices may contradict each other, as slices change: who names no groups changes
  // nothing for the others then.
  const Groups& members = history.back();
  const bool narrows = members.has_value() && groups.has_value();
  history.push_back(narrows ? Common(*members, *groups) : Groups(members));
}

GroupBooks::Book GroupBooks::Open(const Pool& pool) const {
  Book book;
  ForEachPublished(pool, [&](const v1::Device& device) {
    if (!state_.IsAllocated({pool.driver, pool.name, device.name})) return;
    for (const v1::DeviceCounterConsumption& consumption : device.consumes_counters)
      Add(book[consumption.counter_set], GroupsOf(consumption));
  });
  return book;
}

GroupBooks::Book& GroupBooks::BookOf(const DeviceEntry& device) {
  std::optional<Book>& book = books_[device.pool];
  if (!book.has_value()) book = Open(gathered_.pools[device.pool]);
  return *book;
}

bool GroupBooks::Join(const DeviceEntry& device) {
  Book& book = BookOf(device);
  const auto& consumptions = device.device->consumes_counters;
  for (size_t i = 0; i < consumptions.size(); ++i) {
    History& history = book[consumptions[i].counter_set];
    const Groups groups = GroupsOf(consumptions[i]);
    if (Admits(history, groups)) {
      Add(history, groups);
      continue;
    }
    while (i-- > 0) book[consumptions[i].counter_set].pop_back();
    return false;
  }
  return true;
}

void GroupBooks::Leave(const DeviceEntry& device) {
  Book& book = BookOf(device);
  for (const v1::DeviceCounterConsumption& consumption : device.device->consumes_counters)
    book[consumption.counter_set].pop_back();
}

}  // namespace dray::allocator
