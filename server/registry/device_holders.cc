// SPDX-License-Identifier: Apache-2.0
#include "server/registry/device_holders.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "api/claims/pool_accounts.h"
#include "api/object.h"
#include "server/registry/device_overlap.h"
#include "server/registry/pool_holders.h"

namespace dray::server::registry {
namespace {

using api::resource_v1::AllocationResult;
using api::resource_v1::Device;
using api::resource_v1::ResourceClaim;
using api::resource_v1::ResourceSlice;

std::string PoolKey(std::string_view driver, std::string_view pool) {
  std::string key;
  key.reserve(driver.size() + 1 + pool.size());
  key.append(driver).append("/").append(pool);
  return key;
}

/// What a check asks of the slice.
std::shared_ptr<ResourceSlice> PartThatJudges(const ResourceSlice& slice) {
  auto part = std::make_shared<ResourceSlice>();
  part->metadata.name = slice.metadata.name;
  part->spec.driver = slice.spec.driver;
  part->spec.pool = slice.spec.pool;
  part->spec.shared_counters = slice.spec.shared_counters;
  part->spec.devices.reserve(slice.spec.devices.size());
  for (const Device& device : slice.spec.devices) {
    part->spec.devices.push_back({.name = device.name,
                                  .capacity = device.capacity,
                                  .consumes_counters = device.consumes_counters,
                                  .allow_multiple_allocations = device.allow_multiple_allocations});
  }
  return part;
}

}  // namespace

DeviceHolders::DeviceHolders() = default;
DeviceHolders::~DeviceHolders() = default;
DeviceHolders::DeviceHolders(DeviceHolders&&) noexcept = default;
DeviceHolders& DeviceHolders::operator=(DeviceHolders&&) noexcept = default;

const PoolHolders& DeviceHolders::Find(std::string_view driver, std::string_view pool) const {
  static const PoolHolders kNothingKnown = [] {
    PoolHolders nothing;
    static_cast<void>(nothing.Defined());  // here, because later reads are concurrent
    return nothing;
  }();
  const auto found = pools_.find(PoolKey(driver, pool));
  return found == pools_.end() ? kNothingKnown : *found->second;
}

PoolHolders& DeviceHolders::FindOrMake(std::string_view driver, std::string_view pool) {
  std::unique_ptr<PoolHolders>& found = pools_[PoolKey(driver, pool)];
  if (found == nullptr) found = std::make_unique<PoolHolders>();
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
                  .share = CanonicalShare(result.share_id),
                  .consumed = result.consumed_capacity});
}

void DeviceHolders::Remove(const std::string& claim, const Result& result) {
  PoolHolders& pool = FindOrMake(result.driver, result.pool);
  const auto held = pool.held.find(result.device);
  if (held != pool.held.end()) {
    std::vector<Holding>& holdings = held->second;
    const auto same = std::ranges::find_if(holdings, [&](const Holding& holding) {
      return holding.claim == claim && holding.share == CanonicalShare(result.share_id) &&
             holding.consumed == result.consumed_capacity;
    });
    if (same != holdings.end()) holdings.erase(same);
    if (holdings.empty()) pool.held.erase(held);
  }
  DropIfEmpty(result.driver, result.pool);
}

void DeviceHolders::SetClaim(const ResourceClaim* before, const ResourceClaim* after) {
  const AllocationResult& old = AllocationOf(before);
  const AllocationResult& now = AllocationOf(after);
  const bool is_same_claim = before != nullptr && after != nullptr &&
                             before->spec.devices.requests == after->spec.devices.requests;
  if (is_same_claim && old.devices.results == now.devices.results) return;
  for (const Result& result : old.devices.results) {
    if (before != nullptr && !api::claims::AsksForAdminAccess(*before, result.request))
      Remove(api::ObjectKey(before->metadata), result);
  }
  for (const Result& result : now.devices.results) {
    if (after != nullptr && !api::claims::AsksForAdminAccess(*after, result.request))
      Add(api::ObjectKey(after->metadata), result);
  }
}

void DeviceHolders::SetSlice(const ResourceSlice* before, const ResourceSlice* after) {
  if (before != nullptr) {
    const auto& [driver, pool] = std::tie(before->spec.driver, before->spec.pool.name);
    PoolHolders& old = FindOrMake(driver, pool);
    old.slices.erase(before->metadata.name);
    old.had_counters = !old.held.empty() && (old.had_counters || HasCounters(*before));
    old.definition.reset();
    if (after == nullptr) DropIfEmpty(driver, pool);
  }
  if (after == nullptr) return;
  PoolHolders& pool = FindOrMake(after->spec.driver, after->spec.pool.name);
  const std::shared_ptr<ResourceSlice> kept = PartThatJudges(*after);
  compact_.Share(*kept);
  pool.slices.insert_or_assign(after->metadata.name, kept);
  pool.definition.reset();
}

OverlapVerdict DeviceHolders::Judge(const ResourceClaim& before, const ResourceClaim& after) const {
  OverlapVerdict verdict;
  OverlapJudge judge(before, after);
  for (const Result& result : AllocationOf(&after).devices.results) {
    if (!judge.IsNewlyTaken(result)) continue;
    const PoolHolders& pool = Find(result.driver, result.pool);
    verdict.bad_amount = judge.FindBadAmount(pool, result);
    if (verdict.bad_amount.has_value()) return verdict;
    verdict.decided_about.push_back(
        fmt::format("device {}/{}/{}", result.driver, result.pool, result.device));
    if (judge.ConcernsPool(pool, result)) {
      verdict.decided_about.push_back(PoolKey(result.driver, result.pool));
    }
    verdict.overlap = judge.FindOverlap(pool, result);
    if (!verdict.overlap.empty()) return verdict;
  }
  return verdict;
}

}  // namespace dray::server::registry
