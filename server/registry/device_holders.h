// SPDX-License-Identifier: Apache-2.0
// Which claims hold which devices, and whether one more allocation would overlap with that of
// another claim.
//
// A device belongs to the one claim whose status.allocation names it. Administrative access does
// not count; the claim's request decides about it, whatever the result has. A device that allows
// multiple allocations may have any number of shares whose consumed capacity fits. A device that
// consumes counters of its pool shares them with other devices. Both are known only from the slices
// of the pool's newest generation. While that generation is incomplete, or lacks a device that a
// claim holds, no device gets another holder, and no device that consumes counters, or may consume
// some, is allocated beside others. Objects of the old generation (v1alpha2) name no devices.
// Upstream's API server checks none of this. Its schedulers do, each on the state that it has seen
// (docs/design/exclusive_devices.md).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/claims/compact_slices.h"
#include "api/resource_v1/allocation.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "base/result.h"
#include "server/registry/pool_holders.h"

namespace dray::server::registry {

/// The result of a check of an allocation.
struct OverlapVerdict {
  /// The device or share that another claim holds and this one wants, with the other claim's
  /// namespace and name; empty if there is none.
  std::string overlap{};
  /// An amount that no claim can take. The check ends there, without a decision.
  std::optional<ErrorCause> bad_amount{};
  /// Names of the devices and pools that the decision depends on. No other write may decide about
  /// one of them at the same time.
  std::vector<std::string> decided_about{};
};

/// The state of claims and slices, without a store. Not thread-safe, even for reads.
class DeviceHolders {
 public:
  DeviceHolders();
  ~DeviceHolders();
  DeviceHolders(const DeviceHolders&) = delete;
  DeviceHolders& operator=(const DeviceHolders&) = delete;
  DeviceHolders(DeviceHolders&&) noexcept;
  DeviceHolders& operator=(DeviceHolders&&) noexcept;

  /// Records that the claim `before` is now `after`; null: it did not exist, or no longer does.
  /// O(results), and the holders of a shared device.
  void SetClaim(const api::resource_v1::ResourceClaim* before,
                const api::resource_v1::ResourceClaim* after);
  /// The same for a slice. O(its devices, log n).
  void SetSlice(const api::resource_v1::ResourceSlice* before,
                const api::resource_v1::ResourceSlice* after);

  /// Checks what the allocation of `after` has and that of `before`, which it replaces, has not.
  /// O(results); times the holders of a shared device, or the devices of a pool with counters.
  OverlapVerdict Judge(const api::resource_v1::ResourceClaim& before,
                       const api::resource_v1::ResourceClaim& after) const;

 private:
  using Result = api::resource_v1::DeviceRequestAllocationResult;

  const PoolHolders& Find(std::string_view driver, std::string_view pool) const;
  PoolHolders& FindOrMake(std::string_view driver, std::string_view pool);
  void Add(const std::string& claim, const Result& result);
  void Remove(const std::string& claim, const Result& result);
  void DropIfEmpty(std::string_view driver, std::string_view pool);

  api::claims::CompactSlices compact_;
  // By driver/pool.
  std::unordered_map<std::string, std::unique_ptr<PoolHolders>, PoolHolders::Hash, std::equal_to<>>
      pools_;
};

}  // namespace dray::server::registry
