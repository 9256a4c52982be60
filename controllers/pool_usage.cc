// SPDX-License-Identifier: Apache-2.0
#include "controllers/pool_usage.h"

#include <fmt/format.h>

namespace dray::controllers {
namespace {

namespace v1 = api::resource_v1;

void Add(const Frozen<v1::ResourceSlice>& slice, PoolUsage& pool) {
  const int64_t generation = slice->spec.pool.generation;
  if (!pool.slices.empty() && generation < pool.generation) return;
  if (generation > pool.generation) pool.slices.clear();
  pool.generation = generation;
  pool.slices.push_back(slice);
}

std::string Qualified(std::string_view driver, std::string_view name) {
  return name.contains('/') ? std::string(name) : fmt::format("{}/{}", driver, name);
}

}  // namespace

std::map<std::string, PoolUsages, std::less<>> UsageOfPools(
    std::span<const Frozen<v1::ResourceSlice>> slices,
    std::span<const Frozen<v1::ResourceClaim>> claims,
    const std::function<bool(std::string_view driver, std::string_view pool)>& wanted) {
  std::map<std::string, PoolUsages, std::less<>> usages;
  for (const Frozen<v1::ResourceSlice>& slice : slices) {
    const v1::ResourceSliceSpec& spec = slice->spec;
    if (wanted(spec.driver, spec.pool.name)) Add(slice, usages[spec.driver][spec.pool.name]);
  }
  for (const Frozen<v1::ResourceClaim>& claim : claims) {
    if (!claim->status.allocation.has_value()) continue;
    for (const auto& result : claim->status.allocation->devices.results) {
      if (result.admin_access.value_or(false)) continue;
      const auto driver = usages.find(result.driver);
      if (driver == usages.end()) continue;
      const auto pool = driver->second.find(result.pool);
      if (pool == driver->second.end()) continue;
      pool->second.used.insert(result.device);
      for (const auto& [name, amount] : result.consumed_capacity)
        pool->second.consumed[result.device][name] += amount;
    }
  }
  return usages;
}

CounterAmounts CountersLeft(const PoolUsage& pool) {
  CounterAmounts left;
  for (const auto& slice : pool.slices) {
    for (const v1::CounterSet& set : slice->spec.shared_counters) {
      for (const auto& [name, counter] : set.counters) left[set.name][name] = counter.value;
    }
  }
  if (left.empty()) return left;
  for (const auto& slice : pool.slices) {
    for (const v1::Device& device : slice->spec.devices) {
      if (pool.used.contains(device.name)) DrawCounters(device, left);
    }
  }
  return left;
}

bool FitsCounters(const v1::Device& device, const CounterAmounts& left) {
  for (const auto& set : device.consumes_counters) {
    const auto known = left.find(set.counter_set);
    for (const auto& [name, counter] : set.counters) {
      if (known == left.end()) return false;
      const auto amount = known->second.find(name);
      if (amount == known->second.end() || amount->second < counter.value) return false;
    }
  }
  return true;
}

void DrawCounters(const v1::Device& device, CounterAmounts& left) {
  for (const auto& set : device.consumes_counters) {
    const auto known = left.find(set.counter_set);
    if (known == left.end()) continue;
    for (const auto& [name, counter] : set.counters) {
      const auto amount = known->second.find(name);
      if (amount != known->second.end()) amount->second -= counter.value;
    }
  }
}

const std::string* AttributeText(const v1::Device& device,
                                 std::string_view driver,
                                 std::string_view attribute) {
  for (const auto& [name, value] : device.attributes) {
    if (Qualified(driver, name) != attribute) continue;
    return value.string.has_value() ? &*value.string : nullptr;
  }
  return nullptr;
}

}  // namespace dray::controllers
