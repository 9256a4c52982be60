// SPDX-License-Identifier: Apache-2.0
#include "controllers/pool_status.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "api/resource_v1alpha3.h"

namespace dray::controllers {
namespace {

namespace v1 = api::resource_v1;
namespace alpha = api::resource_v1alpha3;
using api::Quantity;

constexpr int32_t kLimitDefault = 100;
constexpr size_t kListedMax = 32;       // of types, and of capacities, in one pool
constexpr size_t kErrorBytesMax = 256;  // of validationError
constexpr std::string_view kIncomplete = "PoolIncomplete:";

using Amounts = std::map<std::string, Quantity>;  // by name
using Counters = std::map<std::string, Amounts>;  // by counter set and counter

struct Pool {
  int64_t generation = 0;
  std::vector<Frozen<v1::ResourceSlice>> slices;  // of that generation
  std::set<std::string> used;                     // devices, by name
  Amounts consumed;                               // of shared devices

  void Add(const Frozen<v1::ResourceSlice>& slice) {
    if (!slices.empty() && slice->spec.pool.generation < generation) return;
    if (slice->spec.pool.generation > generation) slices.clear();
    generation = slice->spec.pool.generation;
    slices.push_back(slice);
  }
};
using Pools = std::map<std::string, Pool>;  // by name

Pools PoolsOf(const alpha::ResourcePoolStatusRequestSpec& request, const PoolsView& view) {
  Pools pools;
  for (const Frozen<v1::ResourceSlice>& slice : view.slices) {
    const std::string& name = slice->spec.pool.name;
    const bool is_wanted = slice->spec.driver == request.driver &&
                           (request.pool_name.value_or("").empty() || *request.pool_name == name);
    if (is_wanted) pools[name].Add(slice);
  }
  for (const Frozen<v1::ResourceClaim>& claim : view.claims) {
    if (!claim->status.allocation.has_value()) continue;
    for (const auto& result : claim->status.allocation->devices.results) {
      if (result.driver != request.driver || result.admin_access.value_or(false)) continue;
      const auto pool = pools.find(result.pool);
      if (pool == pools.end()) continue;
      pool->second.used.insert(result.device);
      for (const auto& [name, amount] : result.consumed_capacity) {
        pool->second.consumed[name] += amount;
      }
    }
  }
  return pools;
}

bool IsTainted(const v1::Device& device) {
  return std::ranges::any_of(device.taints, [](const v1::DeviceTaint& taint) {
    return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
  });
}

/// Set where all slices say the same node.
std::optional<std::string> NodeOf(const Pool& pool) {
  const std::optional<std::string>& node = pool.slices.front()->spec.node_name;
  const bool is_one = std::ranges::all_of(
      pool.slices, [&](const auto& slice) { return slice->spec.node_name == node; });
  return is_one && !node.value_or("").empty() ? node : std::nullopt;
}

Quantity NotNegative(const Quantity& amount) {
  return amount.Sign() < 0 ? Quantity() : amount;
}

// ---------------------------------------------------------------------------------- shared devices

/// Nothing when the pool has no device that can be shared.
std::optional<alpha::ShareableSummaryStatus> ShareableOf(const Pool& pool, std::string& error) {
  alpha::ShareableSummaryStatus summary;
  int32_t full = 0;
  int32_t partial = 0;
  Amounts total;
  for (const auto& slice : pool.slices) {
    for (const v1::Device& device : slice->spec.devices) {
      if (!device.allow_multiple_allocations.value_or(false)) continue;
      ++(pool.used.contains(device.name) ? partial : full);
      for (const auto& [name, capacity] : device.capacity) total[name] += capacity.value;
    }
  }
  if (full + partial == 0) return std::nullopt;
  if (total.size() > kListedMax) {
    error = fmt::format(
        "ShareableSummaryOverCap: the pool has {} shareable capacity keys, "
        "exceeding the maximum of {}",
        total.size(),
        kListedMax);
    return std::nullopt;
  }
  summary.fully_available_devices = full;
  summary.partially_available_devices = partial;
  for (const auto& [name, amount] : total) {
    const auto used = pool.consumed.find(name);
    const Quantity consumed = used == pool.consumed.end() ? Quantity() : used->second;
    summary.capacity.push_back({.name = name,
                                .total = amount,
                                .consumed = consumed,
                                .available = NotNegative(amount - consumed)});
  }
  return summary;
}

// -------------------------------------------------------------------------------------- partitions

/// What the devices of one type have in common.
struct PartitionType {
  int32_t total = 0;
  int32_t fresh = 0;  // of which nobody has one
  const v1::Device* example = nullptr;
};
using PartitionTypes = std::map<std::pair<std::string, std::string>, PartitionType>;

std::string Qualified(std::string_view driver, std::string_view name) {
  return name.contains('/') ? std::string(name) : fmt::format("{}/{}", driver, name);
}

/// The text of the attribute, whose name in the device may lack the driver's domain.
const std::string* TextOf(const v1::Device& device,
                          std::string_view driver,
                          std::string_view attribute) {
  for (const auto& [name, value] : device.attributes) {
    if (Qualified(driver, name) != attribute) continue;
    return value.string.has_value() ? &*value.string : nullptr;
  }
  return nullptr;
}

bool CostTheSame(const v1::Device& a, const v1::Device& b) {
  const auto flat = [](const v1::Device& device) {
    Counters counters;
    for (const auto& set : device.consumes_counters) {
      for (const auto& [name, counter] : set.counters) {
        counters[set.counter_set][name] += counter.value;
      }
    }
    return counters;
  };
  return flat(a) == flat(b);
}

void Take(const v1::Device& device, Counters& left) {
  for (const auto& set : device.consumes_counters) {
    const auto known = left.find(set.counter_set);
    if (known == left.end()) continue;
    for (const auto& [name, counter] : set.counters) {
      const auto amount = known->second.find(name);
      if (amount != known->second.end()) amount->second -= counter.value;
    }
  }
}

bool Fits(const v1::Device& device, const Counters& left) {
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

/// What allocated devices have left of the counters of the pool.
Counters LeftOf(const Pool& pool) {
  Counters left;
  for (const auto& slice : pool.slices) {
    for (const v1::CounterSet& set : slice->spec.shared_counters) {
      for (const auto& [name, counter] : set.counters) left[set.name][name] = counter.value;
    }
  }
  for (const auto& slice : pool.slices) {
    for (const v1::Device& device : slice->spec.devices) {
      if (pool.used.contains(device.name)) Take(device, left);
    }
  }
  return left;
}

/// The partition types of the pool, or why there are none that can be told.
PartitionTypes TypesOf(const Pool& pool,
                       const std::optional<std::string>& default_attribute,
                       std::string& error) {
  PartitionTypes types;
  for (const auto& slice : pool.slices) {
    const auto& own = slice->spec.partition_type_attribute;
    const std::optional<std::string>& attribute = own.has_value() ? own : default_attribute;
    if (!attribute.has_value()) continue;
    for (const v1::Device& device : slice->spec.devices) {
      if (device.consumes_counters.empty()) continue;
      const std::string* type = TextOf(device, slice->spec.driver, *attribute);
      if (type == nullptr) {
        error = fmt::format(
            "PartitionTypeMissing: device \"{}\" does not carry partition type "
            "attribute \"{}\"",
            device.name,
            *attribute);
        return {};
      }
      PartitionType& known = types[{*attribute, *type}];
      if (known.example != nullptr && !CostTheSame(*known.example, device)) {
        error = fmt::format(
            "PartitionCostMismatch: devices of partition type \"{}\" consume "
            "different counters",
            *type);
        return {};
      }
      known.example = &device;
      ++known.total;
      if (!pool.used.contains(device.name)) ++known.fresh;
    }
  }
  return types;
}

/// Each type by itself, as if all that is left were for it.
api::List<alpha::PartitionTypeStatus> PartitionsOf(
    const Pool& pool, const std::optional<std::string>& default_attribute, std::string& error) {
  api::List<alpha::PartitionTypeStatus> summary;
  const PartitionTypes types = TypesOf(pool, default_attribute, error);
  if (types.size() > kListedMax) {
    error = fmt::format(
        "PartitionSummaryOverCap: the pool has {} partition types, exceeding the "
        "maximum of {}",
        types.size(),
        kListedMax);
    return summary;
  }
  if (types.empty()) return summary;
  const Counters all_left = LeftOf(pool);
  for (const auto& [name, type] : types) {
    Counters left = all_left;
    int32_t allocatable = 0;
    while (allocatable < type.fresh && Fits(*type.example, left)) {
      Take(*type.example, left);
      ++allocatable;
    }
    summary.push_back({.attribute = name.first,
                       .type = name.second,
                       .total = type.total,
                       .allocatable = allocatable});
  }
  return summary;
}

// ------------------------------------------------------------------------------------------- a
// pool

void Count(const Pool& pool, alpha::PoolStatus& status) {
  int32_t total = 0;
  int32_t unavailable = 0;
  for (const auto& slice : pool.slices) {
    total += static_cast<int32_t>(slice->spec.devices.size());
    unavailable += static_cast<int32_t>(std::ranges::count_if(slice->spec.devices, IsTainted));
  }
  const auto used = static_cast<int32_t>(pool.used.size());
  status.resource_slice_count = static_cast<int32_t>(pool.slices.size());
  status.total_devices = total;
  status.allocated_devices = used;
  status.unavailable_devices = unavailable;
  status.available_devices = std::max(0, total - used - unavailable);
}

alpha::PoolStatus StatusOf(const alpha::ResourcePoolStatusRequestSpec& request,
                           const std::string& name,
                           const Pool& pool) {
  alpha::PoolStatus status;
  status.driver = request.driver;
  status.pool_name = name;
  status.generation = pool.generation;
  status.node_name = NodeOf(pool);
  std::string error;
  const int64_t expected = pool.slices.front()->spec.pool.resource_slice_count;
  if (std::cmp_less(pool.slices.size(), expected)) {
    error = fmt::format("{} pool {}/{} is incomplete: observed {}/{} slices at generation {}",
                        kIncomplete,
                        request.driver,
                        name,
                        pool.slices.size(),
                        expected,
                        pool.generation);
  } else {
    Count(pool, status);
    status.partition_summary = PartitionsOf(pool, request.default_partition_type_attribute, error);
    std::string of_shares;
    status.shareable_summary = ShareableOf(pool, of_shares);
    if (error.empty()) error = std::move(of_shares);
  }
  if (!error.empty()) status.validation_error = error.substr(0, kErrorBytesMax);
  return status;
}

}  // namespace

alpha::ResourcePoolStatusRequestStatus PoolStatusOf(
    const alpha::ResourcePoolStatusRequestSpec& request, const PoolsView& view, api::Time now) {
  alpha::ResourcePoolStatusRequestStatus status;
  const Pools pools = PoolsOf(request, view);
  const auto limit = static_cast<size_t>(std::max(0, request.limit.value_or(kLimitDefault)));
  for (const auto& [name, pool] : pools) {
    if (status.pools.size() == limit) break;
    status.pools.push_back(StatusOf(request, name, pool));
  }
  status.pool_count = static_cast<int32_t>(pools.size());
  const auto errors = std::ranges::count_if(
      status.pools, [](const auto& pool) { return pool.validation_error.has_value(); });
  std::string message = fmt::format("Calculated status for {} pools", status.pools.size());
  if (errors > 0) message += fmt::format(" ({} incomplete)", errors);
  status.conditions.push_back({.type = "Complete",
                               .status = "True",
                               .last_transition_time = now,
                               .reason = "CalculationComplete",
                               .message = std::move(message)});
  return status;
}

bool IsIncomplete(const alpha::ResourcePoolStatusRequestStatus& status) {
  return std::ranges::any_of(status.pools, [](const auto& pool) {
    return pool.validation_error.value_or("").starts_with(kIncomplete);
  });
}

}  // namespace dray::controllers
