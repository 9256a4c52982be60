// SPDX-License-Identifier: Apache-2.0
#include "api/claims/pool_accounts.h"

#include <algorithm>

namespace dray::api::claims {
namespace {

namespace v1 = resource_v1;

/// Calls `visit` with set, counter and amount of all that the device consumes.
template <class Visit>
void ForEachConsumed(const v1::Device& device, Visit visit) {
  for (const v1::DeviceCounterConsumption& consumption : device.consumes_counters) {
    for (const auto& [name, counter] : consumption.counters) {
      visit(CounterAccount::CounterName(consumption.counter_set, name), counter.value);
    }
  }
}

/// Names in capacities may have the driver's domain or leave it out.
std::string_view WithoutDomain(std::string_view name, std::string_view driver) {
  if (name.starts_with(driver) && name.substr(driver.size()).starts_with('/')) {
    name.remove_prefix(driver.size() + 1);
  }
  return name;
}

/// The request of the claim that a result names by itself or by one of its alternatives.
const v1::DeviceRequest* FindRequest(const v1::ResourceClaim& claim, std::string_view name) {
  const auto& requests = claim.spec.devices.requests;
  const auto found =
      std::ranges::find(requests, name.substr(0, name.find('/')), &v1::DeviceRequest::name);
  return found == requests.end() ? nullptr : &*found;
}

const v1::CapacityRequirements* PointerTo(const Maybe<v1::CapacityRequirements>& capacity) {
  return capacity.has_value() ? &*capacity : nullptr;
}

}  // namespace

Quantity TotalOf(std::string_view name, std::span<const Amounts* const> parts) {
  Quantity total;
  for (const Amounts* part : parts) {
    if (part == nullptr) continue;
    if (const auto found = part->find(name); found != part->end()) total += found->second;
  }
  return total;
}

std::optional<ExceededCapacity> FindExceeded(const v1::Device& device,
                                             std::span<const Amounts* const> parts) {
  for (const auto& [name, capacity] : device.capacity) {
    Quantity taken = TotalOf(name, parts);
    if (taken > capacity.value) return ExceededCapacity{.name = name, .taken = std::move(taken)};
  }
  return std::nullopt;
}

const SharedMap<v1::DeviceCapacity>::value_type* FindCapacity(const v1::Device& device,
                                                              std::string_view name,
                                                              std::string_view driver) {
  if (const auto same = device.capacity.find(name); same != device.capacity.end()) return &*same;
  const auto alike = std::ranges::find_if(device.capacity, [&](const auto& entry) {
    return WithoutDomain(entry.first, driver) == WithoutDomain(name, driver);
  });
  return alike == device.capacity.end() ? nullptr : &*alike;
}

Amounts AmountsOf(const v1::Device& device,
                  const Map<Quantity>& consumed,
                  std::string_view driver) {
  Amounts amounts;
  std::map<std::string_view, bool> is_whole;
  for (const auto& [name, amount] : consumed) {
    const auto* capacity = FindCapacity(device, name, driver);
    if (capacity == nullptr) continue;
    amounts[capacity->first] += amount;
    is_whole[capacity->first] |= amount.Sign() < 0;
  }
  for (const auto& [name, capacity] : device.capacity) {
    const auto named = is_whole.find(name);
    if (named == is_whole.end() || named->second) amounts[name] = capacity.value;
  }
  return amounts;
}

bool AsksForAdminAccess(const v1::ResourceClaim& claim, std::string_view request) {
  const v1::DeviceRequest* found = FindRequest(claim, request);
  return found != nullptr && found->exactly.has_value() &&
         found->exactly->admin_access.value_or(false);
}

const v1::CapacityRequirements* CapacityRequestOf(const v1::ResourceClaim& claim,
                                                  std::string_view request) {
  const v1::DeviceRequest* found = FindRequest(claim, request);
  if (found == nullptr) return nullptr;
  if (found->exactly.has_value()) return PointerTo(found->exactly->capacity);
  const size_t slash = request.find('/');
  if (slash == std::string_view::npos) return nullptr;
  const auto alternative = std::ranges::find(
      found->first_available, request.substr(slash + 1), &v1::DeviceSubRequest::name);
  return alternative == found->first_available.end() ? nullptr : PointerTo(alternative->capacity);
}

bool CounterAccount::Add(const v1::CounterSet& set) {
  for (const auto& [name, counter] : set.counters) {
    counters_[{set.name, name}].left = counter.value;
  }
  return sets_.emplace(set.name, &set).second;
}

void CounterAccount::Commit(const v1::Device& device) {
  ForEachConsumed(device, [&](const CounterName& name, const Quantity& amount) {
    if (const auto found = counters_.find(name); found != counters_.end())
      found->second.left -= amount;
  });
}

bool CounterAccount::Draw(const v1::Device& device) {
  ForEachConsumed(device, [&](const CounterName& name, const Quantity& amount) {
    if (const auto found = counters_.find(name); found != counters_.end())
      found->second.drawn += amount;
  });
  const bool suffices = std::ranges::all_of(
      counters_, [](const auto& entry) { return entry.second.left >= entry.second.drawn; });
  if (!suffices) GiveBack(device);
  return suffices;
}

void CounterAccount::GiveBack(const v1::Device& device) {
  ForEachConsumed(device, [&](const CounterName& name, const Quantity& amount) {
    if (const auto found = counters_.find(name); found != counters_.end())
      found->second.drawn -= amount;
  });
}

std::optional<CounterAccount::Shortage> CounterAccount::ShortageFor(
    const v1::Device& device) const {
  std::map<CounterName, Quantity> wanted;
  ForEachConsumed(device,
                  [&](const CounterName& name, const Quantity& amount) { wanted[name] += amount; });
  for (const auto& [name, counter] : counters_) {
    Quantity left = counter.left;
    left -= counter.drawn;
    if (left >= wanted[name]) continue;
    return Shortage{
        .set = name.first, .counter = name.second, .wanted = wanted[name], .left = left};
  }
  return std::nullopt;
}

std::optional<CounterAccount::CounterName> CounterAccount::FindUnknown(
    const v1::Device& device) const {
  std::optional<CounterName> unknown;
  ForEachConsumed(device, [&](const CounterName& name, const Quantity&) {
    if (!unknown.has_value() && !counters_.contains(name)) unknown = name;
  });
  if (unknown.has_value()) return unknown;
  for (const v1::DeviceCounterConsumption& consumption : device.consumes_counters) {
    if (!sets_.contains(consumption.counter_set)) return CounterName(consumption.counter_set, "");
  }
  return std::nullopt;
}

}  // namespace dray::api::claims
