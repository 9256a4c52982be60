// SPDX-License-Identifier: Apache-2.0
#include "scheduler/cluster/node_allocatable.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "api/claims/pod_claims.h"
#include "api/value/quantity.h"
#include "base/try.h"

namespace dray::scheduler::inline cluster {
namespace {

namespace core_v1 = api::core_v1;
namespace resource_v1 = api::resource_v1;
using api::Quantity;

// NOLINTNEXTLINE(readability-identifier-naming): it is a type
__extension__ using Wide = __int128;

/// The product, exact to thousandths and rounded up; saturates at the int64 range.
Quantity Times(const Quantity& amount, const Quantity& factor) {
  const bool is_whole = Quantity::FromInt(amount.Value()) == amount;
  const Wide product = is_whole ? Wide{amount.Value()} * factor.MilliValue()
                                : (Wide{amount.MilliValue()} * factor.MilliValue() + 999) / 1000;
  constexpr Wide kMost = std::numeric_limits<int64_t>::max();
  if (product % 1000 == 0 || product > kMost) {
    return Quantity::FromInt(static_cast<int64_t>(std::min((product + 999) / 1000, kMost)),
                             amount.format());
  }
  return Quantity::FromMilli(static_cast<int64_t>(product), amount.format());
}

/// Finds a name with or without the driver's domain.
const Quantity* FindAmount(const api::Map<Quantity>& amounts,
                           const std::string& key,
                           const std::string& driver) {
  auto found = amounts.find(key);
  if (found == amounts.end() && !key.contains('/')) found = amounts.find(driver + "/" + key);
  if (found == amounts.end() && key.starts_with(driver + "/")) {
    found = amounts.find(key.substr(driver.size() + 1));
  }
  return found == amounts.end() ? nullptr : &found->second;
}

void AddTo(std::optional<Quantity>& sum, const std::optional<Quantity>& more) {
  if (!more.has_value()) return;
  sum = sum.has_value() ? *sum + *more : *more;
}

/// The resources that one claim takes, by name.
struct Taken {
  std::map<std::string, Quantity> mapped;
  std::map<std::string, core_v1::NodeAllocatableOverheadResources> overhead;
};

Result<> AddMapping(const ClaimAllocation& claim,
                    const resource_v1::DeviceRequestAllocationResult& result,
                    const std::string& resource,
                    const resource_v1::NodeAllocatableMapping& mapping,
                    Taken& taken) {
  const std::string key = mapping.capacity_key.value_or("");
  if (key.empty()) {
    if (mapping.device_multiplier) taken.mapped[resource] += *mapping.device_multiplier;
    return {};
  }
  if (result.consumed_capacity.empty()) {
    return Fail(
        StatusReason::kInvalid,
        fmt::format("claim {}/{}, device {}: ConsumedCapacity is nil, but Capacity key '{}' is set "
                    "in NodeAllocatableResources for resource {}",
                    claim.namespace_,
                    claim.name,
                    result.device,
                    key,
                    resource));
  }
  const Quantity* consumed = FindAmount(result.consumed_capacity, key, result.driver);
  if (consumed == nullptr) return {};
  const Quantity one = Quantity::FromInt(1);
  const Quantity factor = mapping.capacity_multiplier.value_or(one);
  taken.mapped[resource] += factor == one ? *consumed : Times(*consumed, factor);
  return {};
}

Result<Taken> TakenByClaim(const ClaimAllocation& claim, const NodeAllocatableDevice& find) {
  Taken taken;
  for (const auto& result : claim.allocation->devices.results) {
    const resource_v1::Device* device = find(result);
    if (device == nullptr) continue;
    for (const auto& [resource, takes] : device->node_allocatable_resources) {
      if (takes.mapping) {
        DRAY_TRY_VOID(AddMapping(claim, result, resource, *takes.mapping, taken));
      }
      if (!takes.overhead) continue;
      auto& overhead = taken.overhead[resource];
      overhead.name = resource;
      AddTo(overhead.per_pod, takes.overhead->per_pod);
      AddTo(overhead.per_container, takes.overhead->per_container);
    }
  }
  return taken;
}

/// The containers that use the claim, init containers first, each once.
std::vector<std::string> UsersOf(const core_v1::Pod& pod, std::string_view claim) {
  std::vector<std::string> users;
  for (const auto* containers : {&pod.spec.init_containers, &pod.spec.containers}) {
    for (const core_v1::Container& container : *containers) {
      const bool uses = std::ranges::any_of(container.resources.claims, [&](const auto& used) {
        const auto entry = std::ranges::find(
            pod.spec.resource_claims, used.name, &core_v1::PodResourceClaim::name);
        return entry != pod.spec.resource_claims.end() &&
               api::claims::TargetOf(pod, *entry).name == claim;
      });
      if (uses) users.push_back(container.name);
    }
  }
  return users;
}

}  // namespace

void NodeAllocatableDevices::SetSlice(const std::string& name, const Slice& slice) {
  const auto id_of = [](const resource_v1::ResourceSlice& of, size_t index) {
    return allocator::DeviceId{of.spec.driver, of.spec.pool.name, of.spec.devices[index].name};
  };
  if (const auto known = slices_.find(name); known != slices_.end()) {
    for (size_t i = 0; i < known->second->spec.devices.size(); ++i) {
      const auto places = devices_.find(id_of(*known->second, i));
      if (places == devices_.end()) continue;
      places->second.erase(name);
      if (places->second.empty()) devices_.erase(places);
    }
    slices_.erase(known);
  }
  if (slice == nullptr) return;
  bool has_any = false;
  for (size_t i = 0; i < slice->spec.devices.size(); ++i) {
    if (slice->spec.devices[i].node_allocatable_resources.empty()) continue;
    devices_[id_of(*slice, i)].insert_or_assign(name, Place{.slice = slice, .index = i});
    has_any = true;
  }
  if (has_any) slices_.emplace(name, slice);
}

const resource_v1::Device* NodeAllocatableDevices::Find(
    const resource_v1::DeviceRequestAllocationResult& result) const {
  if (devices_.empty()) return nullptr;
  const auto found = devices_.find({result.driver, result.pool, result.device});
  if (found == devices_.end()) return nullptr;
  const Place* newest = nullptr;
  for (const auto& [name, place] : found->second) {
    const bool is_newer = newest == nullptr ||
                          place.slice->spec.pool.generation > newest->slice->spec.pool.generation;
    if (is_newer) newest = &place;
  }
  return newest == nullptr ? nullptr : &newest->slice->spec.devices[newest->index];
}

bool HasMappedDevice(const resource_v1::AllocationResult& allocation,
                     const NodeAllocatableDevice& find) {
  return std::ranges::any_of(allocation.devices.results, [&](const auto& result) {
    const resource_v1::Device* device = find(result);
    return device != nullptr &&
           std::ranges::any_of(device->node_allocatable_resources,
                               [](const auto& takes) { return takes.second.mapping.has_value(); });
  });
}

Result<NodeAllocatableStatuses> TakenByClaims(const core_v1::Pod& pod,
                                              std::span<const ClaimAllocation> claims,
                                              const NodeAllocatableDevice& find) {
  NodeAllocatableStatuses statuses;
  for (const ClaimAllocation& claim : claims) {
    if (claim.allocation == nullptr) continue;
    DRAY_TRY(Taken taken, TakenByClaim(claim, find));
    if (taken.mapped.empty() && taken.overhead.empty()) continue;
    core_v1::NodeAllocatableResourceClaimStatus status;
    status.resource_claim_name = claim.name;
    for (std::string& user : UsersOf(pod, claim.name)) status.containers.push_back(std::move(user));
    for (auto& [resource, quantity] : taken.mapped) {
      status.mapping.push_back({.name = resource, .quantity = std::move(quantity)});
    }
    for (auto& [resource, overhead] : taken.overhead) {
      status.overhead.push_back(std::move(overhead));
    }
    statuses.push_back(std::move(status));
  }
  std::ranges::sort(
      statuses, {}, &core_v1::NodeAllocatableResourceClaimStatus::resource_claim_name);
  return statuses;
}

}  // namespace dray::scheduler::inline cluster
