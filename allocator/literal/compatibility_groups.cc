// SPDX-License-Identifier: Apache-2.0
#include "allocator/literal/compatibility_groups.h"

#include <algorithm>
#include <iterator>

namespace dray::allocator::literal {
namespace {

namespace v1 = api::resource_v1;

std::set<std::string_view> Common(const std::set<std::string_view>& a,
                                  const std::set<std::string_view>& b) {
  std::set<std::string_view> common;
  std::ranges::set_intersection(a, b, std::inserter(common, common.end()));
  return common;
}

}  // namespace

GroupUsage::Groups GroupUsage::GroupsOf(const v1::DeviceCounterConsumption& consumption) {
  const auto& names = consumption.compatibility_groups;
  if (names.empty()) return std::nullopt;
  return std::set<std::string_view>(names.begin(), names.end());
}

bool GroupUsage::Admits(const History& history, const Groups& groups) {
  if (history.empty()) return true;
  const Groups& members = history.back();
  if (!groups.has_value() || !members.has_value()) return groups == members;
  return !Common(*members, *groups).empty();
}

void GroupUsage::Add(History& history, const Groups& groups) {
  if (history.empty()) {
    history.push_back(groups);
    return;
  }
  // Committed devices may contradict each other, because slices change. A device without groups
  // then changes nothing for the others.
  const Groups& members = history.back();
  const bool narrows = members.has_value() && groups.has_value();
  history.push_back(narrows ? Common(*members, *groups) : Groups(members));
}

GroupUsage::Histories GroupUsage::Committed(const rules::Pool& pool) const {
  Histories histories;
  rules::ForEachPublished(pool, [&](const v1::Device& device) {
    if (!state_.IsAllocated({pool.driver, pool.name, device.name})) return;
    for (const v1::DeviceCounterConsumption& consumption : device.consumes_counters)
      Add(histories[consumption.counter_set], GroupsOf(consumption));
  });
  return histories;
}

GroupUsage::Histories& GroupUsage::HistoriesOf(const rules::DeviceEntry& device) {
  std::optional<Histories>& of_pool = by_pool_[device.pool];
  if (!of_pool.has_value()) of_pool = Committed(gathered_.pools[device.pool]);
  return *of_pool;
}

bool GroupUsage::Join(const rules::DeviceEntry& device) {
  Histories& histories = HistoriesOf(device);
  const auto& consumptions = device.device->consumes_counters;
  for (size_t i = 0; i < consumptions.size(); ++i) {
    History& history = histories[consumptions[i].counter_set];
    const Groups groups = GroupsOf(consumptions[i]);
    if (Admits(history, groups)) {
      Add(history, groups);
      continue;
    }
    while (i-- > 0) histories[consumptions[i].counter_set].pop_back();
    return false;
  }
  return true;
}

void GroupUsage::Leave(const rules::DeviceEntry& device) {
  Histories& histories = HistoriesOf(device);
  for (const v1::DeviceCounterConsumption& consumption : device.device->consumes_counters)
    histories[consumption.counter_set].pop_back();
}

}  // namespace dray::allocator::literal
