// SPDX-License-Identifier: Apache-2.0
#include "server/registry/device_holders.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "api/object.h"
#include "api/value/map.h"
#include "api/value/quantity.h"

namespace dray::server::registry {
namespace {

using api::Quantity;
using api::resource_v1::AllocationResult;
using api::resource_v1::CounterSet;
using api::resource_v1::Device;
using api::resource_v1::DeviceCounterConsumption;
using api::resource_v1::DeviceRequestAllocationResult;
using api::resource_v1::ResourceClaim;
using api::resource_v1::ResourceSlice;

/// One result of one claim that holds a device.
struct Holding {
  std::string claim;  // namespace/name
  std::string share;  // empty: the whole device
  api::Map<Quantity> consumed;
};

bool TakesDevice(const DeviceRequestAllocationResult& result) {
  return !result.admin_access.value_or(false);
}

bool SameDevice(const DeviceRequestAllocationResult& a, const DeviceRequestAllocationResult& b) {
  return a.device == b.device && a.pool == b.pool && a.driver == b.driver;
}

/// Nothing, for a claim without an allocation.
const AllocationResult& AllocationOf(const ResourceClaim* claim) {
  static const AllocationResult kNone;
  return claim != nullptr && claim->status.allocation ? *claim->status.allocation : kNone;
}

std::string PoolKey(std::string_view driver, std::string_view pool) {
  std::string key;
  key.reserve(driver.size() + 1 + pool.size());
  key.append(driver).append("/").append(pool);
  return key;
}

/// "device driver/pool/name".
std::string Named(const DeviceRequestAllocationResult& result) {
  return fmt::format("device {}/{}/{}", result.driver, result.pool, result.device);
}

/// Names in capacities may have the driver's domain or leave it out.
std::string_view WithoutDomain(std::string_view name, std::string_view driver) {
  if (name.starts_with(driver) && name.substr(driver.size()).starts_with('/')) {
    name.remove_prefix(driver.size() + 1);
  }
  return name;
}

template <class T>
const T* FindUnder(const api::Map<T>& map, std::string_view name, std::string_view driver) {
  const auto found = std::ranges::find_if(map, [&](const auto& entry) {
    return WithoutDomain(entry.first, driver) == WithoutDomain(name, driver);
  });
  return found == map.end() ? nullptr : &found->second;
}

Quantity AmountOf(const api::Map<Quantity>& consumed,
                  std::string_view name,
                  std::string_view driver) {
  const Quantity* amount = FindUnder(consumed, name, driver);
  return amount == nullptr ? Quantity() : *amount;
}

}  // namespace

struct DeviceHolders::Pool {
  /// What the newest generation says.
  struct Definitions {
    std::unordered_map<std::string_view, const Device*> devices;
    std::unordered_map<std::string_view, const CounterSet*> counter_sets;
  };

  std::unordered_map<std::string, std::vector<Holding>, Hash, std::equal_to<>> held;  // by device
  std::map<std::string, Frozen<ResourceSlice>, std::less<>> slices;                   // by name
  mutable std::optional<Definitions> definitions;  // made when asked for

  const Definitions& Defined() const;
  const Device* Find(std::string_view device) const {
    const auto found = Defined().devices.find(device);
    return found == Defined().devices.end() ? nullptr : found->second;
  }
};

const DeviceHolders::Pool::Definitions& DeviceHolders::Pool::Defined() const {
  if (definitions.has_value()) return *definitions;
  Definitions& made = definitions.emplace();
  int64_t newest = 0;
  for (const auto& [name, slice] : slices) newest = std::max(newest, slice->spec.pool.generation);
  for (const auto& [name, slice] : slices) {
    if (slice->spec.pool.generation != newest) continue;
    for (const Device& device : slice->spec.devices) made.devices.emplace(device.name, &device);
    for (const CounterSet& set : slice->spec.shared_counters) {
      made.counter_sets.emplace(set.name, &set);
    }
  }
  return made;
}

DeviceHolders::DeviceHolders() = default;
DeviceHolders::~DeviceHolders() = default;
DeviceHolders::DeviceHolders(DeviceHolders&&) noexcept = default;
DeviceHolders& DeviceHolders::operator=(DeviceHolders&&) noexcept = default;

// ------------------------------------------------------------------------------------------------
// What claims and slices say.

const DeviceHolders::Pool* DeviceHolders::Find(std::string_view driver,
                                               std::string_view pool) const {
  const auto found = pools_.find(PoolKey(driver, pool));
  return found == pools_.end() ? nullptr : found->second.get();
}

DeviceHolders::Pool& DeviceHolders::FindOrMake(std::string_view driver, std::string_view pool) {
  std::unique_ptr<Pool>& found = pools_[PoolKey(driver, pool)];
  if (found == nullptr) found = std::make_unique<Pool>();
  return *found;
}

void DeviceHolders::DropIfEmpty(std::string_view driver, std::string_view pool) {
  const auto found = pools_.find(PoolKey(driver, pool));
  if (found == pools_.end()) return;
  if (found->second->held.empty() && found->second->slices.empty()) pools_.erase(found);
}

void DeviceHolders::Add(const std::string& claim, const Result& result) {
  FindOrMake(result.driver, result.pool)
      .held[result.device]
      .push_back({.claim = claim,
                  .share = result.share_id.value_or(""),
                  .consumed = result.consumed_capacity});
}

void DeviceHolders::Remove(const std::string& claim, const Result& result) {
  Pool& pool = FindOrMake(result.driver, result.pool);
  const auto held = pool.held.find(result.device);
  if (held != pool.held.end()) {
    std::vector<Holding>& holdings = held->second;
    const auto same = std::ranges::find_if(holdings, [&](const Holding& holding) {
      return holding.claim == claim && holding.share == result.share_id.value_or("");
    });
    if (same != holdings.end()) holdings.erase(same);
    if (holdings.empty()) pool.held.erase(held);
  }
  DropIfEmpty(result.driver, result.pool);
}

void DeviceHolders::SetClaim(const ResourceClaim* before, const ResourceClaim* after) {
  const AllocationResult& old = AllocationOf(before);
  const AllocationResult& now = AllocationOf(after);
  if (old.devices.results == now.devices.results) return;
  for (const Result& result : old.devices.results) {
    if (TakesDevice(result)) Remove(api::ObjectKey(before->metadata), result);
  }
  for (const Result& result : now.devices.results) {
    if (TakesDevice(result)) Add(api::ObjectKey(after->metadata), result);
  }
}

void DeviceHolders::SetSlice(const ResourceSlice* before, const Frozen<ResourceSlice>& after) {
  if (before != nullptr) {
    const auto& [driver, pool] = std::tie(before->spec.driver, before->spec.pool.name);
    Pool& old = FindOrMake(driver, pool);
    old.slices.erase(before->metadata.name);
    old.definitions.reset();
    if (after == nullptr) DropIfEmpty(driver, pool);
  }
  if (after == nullptr) return;
  Pool& pool = FindOrMake(after->spec.driver, after->spec.pool.name);
  pool.slices.insert_or_assign(after->metadata.name, after);
  pool.definitions.reset();
}

// ------------------------------------------------------------------------------------------------
// Judgement.

namespace {

/// One result that is judged, and what it is judged by.
struct Question {
  const DeviceRequestAllocationResult& result;
  const Device* device;  // null: no slice has it
  std::string claim;
  const AllocationResult& allocation;  // all that the claim would have
};

/// Those of other claims.
std::vector<const Holding*> OthersOf(const Question& question,
                                     const std::vector<Holding>& holdings) {
  std::vector<const Holding*> others;
  for (const Holding& holding : holdings) {
    if (holding.claim != question.claim) others.push_back(&holding);
  }
  return others;
}

/// Why a device with these other holders cannot be had as well; empty if it can.
std::string HolderOverlap(const Question& question, const std::vector<const Holding*>& others) {
  const bool may_be_shared = question.device == nullptr
                                 ? question.result.share_id.has_value()
                                 : question.device->allow_multiple_allocations.value_or(false);
  for (const Holding* other : others) {
    const bool whole = other->share.empty() && question.device == nullptr;
    const bool same_share = !other->share.empty() && other->share == question.result.share_id;
    if (may_be_shared && !whole && !same_share) continue;
    return fmt::format("{}{} is already allocated to ResourceClaim {}",
                       same_share ? fmt::format("share {} of ", other->share) : std::string(),
                       Named(question.result),
                       other->claim);
  }
  return "";
}

/// Whether the shares of all holders fit into the device.
std::string CapacityOverlap(const Question& question, const std::vector<const Holding*>& others) {
  if (question.device == nullptr) return "";
  const DeviceRequestAllocationResult& result = question.result;
  for (const auto& [name, amount] : result.consumed_capacity) {
    const auto* capacity = FindUnder(question.device->capacity, name, result.driver);
    if (capacity == nullptr) continue;
    Quantity wanted;
    for (const DeviceRequestAllocationResult& own : question.allocation.devices.results) {
      if (SameDevice(own, result) && TakesDevice(own)) {
        wanted += AmountOf(own.consumed_capacity, name, result.driver);
      }
    }
    Quantity taken;
    const Holding* holder = nullptr;
    for (const Holding* other : others) {
      const Quantity share = AmountOf(other->consumed, name, result.driver);
      if (share.Sign() <= 0) continue;
      taken += share;
      holder = other;
    }
    if (holder == nullptr || taken + wanted <= capacity->value) continue;
    return fmt::format(
        "{} of capacity {} of {} are asked for and {} of {} are already allocated, among others to "
        "ResourceClaim {}",
        wanted.ToString(),
        name,
        Named(result),
        taken.ToString(),
        capacity->value.ToString(),
        holder->claim);
  }
  return "";
}

/// What is taken from one counter of a pool.
struct CounterUse {
  Quantity wanted{};
  Quantity taken{};
  std::string_view holder{};  // another claim; empty if there is none
};
/// By set and counter.
using CounterUses = std::map<std::pair<std::string_view, std::string_view>, CounterUse>;

template <class F>
void ForEachCounter(const Device& device, F add) {
  for (const DeviceCounterConsumption& consumption : device.consumes_counters) {
    for (const auto& [name, counter] : consumption.counters) {
      if (counter.value.Sign() > 0) add({consumption.counter_set, name}, counter.value);
    }
  }
}

/// Whether the counters of the pool suffice for all its devices that are taken. `sets` are those of
/// the pool by name.
std::string CounterOverlap(const Question& question,
                           const std::unordered_map<std::string_view, const CounterSet*>& sets,
                           const CounterUses& uses) {
  for (const DeviceCounterConsumption& consumption : question.device->consumes_counters) {
    const auto set = sets.find(consumption.counter_set);
    if (set == sets.end()) continue;
    for (const auto& [name, amount] : consumption.counters) {
      const auto counter = set->second->counters.find(name);
      const auto use = uses.find({consumption.counter_set, name});
      if (counter == set->second->counters.end() || use == uses.end()) continue;
      const auto& [wanted, taken, holder] = use->second;
      const Quantity& total = counter->second.value;
      if (holder.empty() || taken + wanted <= total) continue;
      return fmt::format(
          "{} needs counter {} of {}: {} are asked for and {} of {} are already allocated, among "
          "others to ResourceClaim {}",
          Named(question.result),
          name,
          consumption.counter_set,
          wanted.ToString(),
          taken.ToString(),
          total.ToString(),
          holder);
    }
  }
  return "";
}

}  // namespace

/// What all claims with devices of one pool take from its counters, `after` as it would be.
/// A device counts once, whoever shares it.
template <class Pool>
static CounterUses UsesOf(const Pool& pool, const Question& question) {
  CounterUses uses;
  std::set<std::string_view> counted;
  for (const auto& [name, holdings] : pool.held) {
    const auto other = std::ranges::find_if(
        holdings, [&](const Holding& holding) { return holding.claim != question.claim; });
    const Device* device = other == holdings.end() ? nullptr : pool.Find(name);
    if (device == nullptr) continue;
    counted.insert(name);
    ForEachCounter(*device, [&](const CounterUses::key_type& key, const Quantity& amount) {
      CounterUse& use = uses[key];
      use.taken += amount;
      use.holder = other->claim;
    });
  }
  const DeviceRequestAllocationResult& asked = question.result;
  for (const DeviceRequestAllocationResult& own : question.allocation.devices.results) {
    if (own.pool != asked.pool || own.driver != asked.driver || !TakesDevice(own)) continue;
    const Device* device = pool.Find(own.device);
    if (device == nullptr || !counted.insert(own.device).second) continue;
    ForEachCounter(*device, [&](const CounterUses::key_type& key, const Quantity& amount) {
      uses[key].wanted += amount;
    });
  }
  return uses;
}

OverlapVerdict DeviceHolders::Judge(const ResourceClaim& before, const ResourceClaim& after) const {
  OverlapVerdict verdict;
  const auto& old = AllocationOf(&before).devices.results;
  const AllocationResult& now = AllocationOf(&after);
  std::map<const Pool*, CounterUses> uses;
  for (const Result& result : now.devices.results) {
    if (!TakesDevice(result) || std::ranges::find(old, result) != old.end()) continue;
    verdict.decided_about.push_back(Named(result));
    const Pool* pool = Find(result.driver, result.pool);
    if (pool == nullptr) continue;
    const Question question{.result = result,
                            .device = pool->Find(result.device),
                            .claim = api::ObjectKey(after.metadata),
                            .allocation = now};
    if (const auto held = pool->held.find(result.device); held != pool->held.end()) {
      const std::vector<const Holding*> others = OthersOf(question, held->second);
      verdict.overlap = HolderOverlap(question, others);
      if (verdict.overlap.empty()) verdict.overlap = CapacityOverlap(question, others);
    }
    if (question.device != nullptr && !question.device->consumes_counters.empty()) {
      verdict.decided_about.push_back(PoolKey(result.driver, result.pool));
      const auto [known, is_new] = uses.try_emplace(pool);
      if (is_new) known->second = UsesOf(*pool, question);
      if (verdict.overlap.empty()) {
        verdict.overlap = CounterOverlap(question, pool->Defined().counter_sets, known->second);
      }
    }
    if (!verdict.overlap.empty()) return verdict;
  }
  return verdict;
}

}  // namespace dray::server::registry
