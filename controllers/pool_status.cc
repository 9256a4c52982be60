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

#include "allocator/rules/taints.h"
#include "api/resource_v1alpha3.h"
#include "controllers/pool_usage.h"

namespace dray::controllers {
namespace {

namespace v1 = api::resource_v1;
namespace alpha = api::resource_v1alpha3;
using api::Quantity;

constexpr int32_t kLimitDefault = 100;
constexpr size_t kListedMax = 32;       // of types, and of capacities, in one pool
constexpr size_t kErrorBytesMax = 256;  // of validationError
constexpr std::string_view kIncomplete = "PoolIncomplete:";

/// The pools of the request's driver that it asks about, by name.
PoolUsages PoolsOf(const alpha::ResourcePoolStatusRequestSpec& request, const PoolsView& view) {
  const std::string only = request.pool_name.value_or("");
  auto usages =
      UsageOfPools(view.slices, view.claims, [&](std::string_view driver, std::string_view pool) {
        return driver == request.driver && (only.empty() || pool == only);
      });
  return std::move(usages[request.driver]);
}

bool IsTainted(const v1::Device& device) {
  return allocator::rules::BlockingTaint(device, {}) != nullptr;
}

/// Set where all slices say the same node.
std::optional<std::string> NodeOf(const PoolUsage& pool) {
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
std::optional<alpha::ShareableSummaryStatus> ShareableOf(const PoolUsage& pool,
                                                         std::string& error) {
  alpha::ShareableSummaryStatus summary;
  int32_t full = 0;
  int32_t partial = 0;
  Amounts total;
  Amounts consumed;
  for (const auto& [device, amounts] : pool.consumed) {
    for (const auto& [name, amount] : amounts) consumed[name] += amount;
  }
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
    const Quantity used = consumed[name];
    summary.capacity.push_back(
        {.name = name, .total = amount, .consumed = used, .available = NotNegative(amount - used)});
  }
  return summary;
}

// -------------------------------------------------------------------------------------- partitions

/// What the devices of one type have in common.
struct PartitionType {
  int32_t total = 0;
  int32_t fresh = 0;  // not in use
  const v1::Device* example = nullptr;
};
using PartitionTypes = std::map<std::pair<std::string, std::string>, PartitionType>;

bool CostTheSame(const v1::Device& a, const v1::Device& b) {
  const auto flat = [](const v1::Device& device) {
    CounterAmounts counters;
    for (const auto& set : device.consumes_counters) {
      for (const auto& [name, counter] : set.counters) {
        counters[set.counter_set][name] += counter.value;
      }
    }
    return counters;
  };
  return flat(a) == flat(b);
}

/// The partition types of the pool, or why they are unknown.
PartitionTypes TypesOf(const PoolUsage& pool,
                       const std::optional<std::string>& default_attribute,
                       std::string& error) {
  PartitionTypes types;
  for (const auto& slice : pool.slices) {
    const auto& own = slice->spec.partition_type_attribute;
    const std::optional<std::string>& attribute = own.has_value() ? own : default_attribute;
    if (!attribute.has_value()) continue;
    for (const v1::Device& device : slice->spec.devices) {
      if (device.consumes_counters.empty()) continue;
      const std::string* type = AttributeText(device, slice->spec.driver, *attribute);
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
    const PoolUsage& pool,
    const std::optional<std::string>& default_attribute,
    std::string& error) {
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
  const CounterAmounts all_left = CountersLeft(pool);
  for (const auto& [name, type] : types) {
    CounterAmounts left = all_left;
    int32_t allocatable = 0;
    while (allocatable < type.fresh && FitsCounters(*type.example, left)) {
      DrawCounters(*type.example, left);
      ++allocatable;
    }
    summary.push_back({.attribute = name.first,
                       .type = name.second,
                       .total = type.total,
                       .allocatable = allocatable});
  }
  return summary;
}

// ------------------------------------------------------------------------------------------ a pool

void Count(const PoolUsage& pool, alpha::PoolStatus& status) {
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
                           const PoolUsage& pool) {
  alpha::PoolStatus status;
  status.driver = request.driver;
  status.pool_name = name;
  status.generation = pool.generation;
  status.node_name = NodeOf(pool);
  std::string error;
  const int64_t expected = pool.expected_slices();
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
  const PoolUsages pools = PoolsOf(request, view);
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
