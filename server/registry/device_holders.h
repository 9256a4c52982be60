// SPDX-License-Identifier: Apache-2.0
// Which claims have which devices, and whether one more allocation would give away what another
// claim has.
//
// A device belongs to the one claim whose status.allocation names it. Not counted is access for
// administration, which the claim's request asks for; what a result says of itself does not count.
// A device that allows multiple allocations may have any number of shares, as long as what they
// consume fits its capacity; a device that draws from counters of its pool shares them with others.
// Both are known only from slices: of the newest generation of the pool. While that is not all
// there, or lacks what a claim has, no device gets one more holder, and none that draws from
// counters, or may, is given away beside others. Objects of the old generation (v1alpha2) name no
// devices. Upstream judges none of this; its schedulers do, each by what it has seen
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

#include "api/resource_v1/allocation.h"
#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "base/published.h"
#include "base/result.h"
#include "server/registry/pool_holders.h"

namespace dray::server::registry {

/// What is to be said of an allocation.
struct OverlapVerdict {
  /// What another claim has and this one asks for, with the claim's namespace and name; empty if
  /// nothing.
  std::string overlap{};
  /// An amount that nobody can take; then nothing was decided.
  std::optional<ErrorCause> bad_amount{};
  /// Names of what was decided about: nobody else may decide about any of them meanwhile.
  std::vector<std::string> decided_about{};
};

/// A pure state: what claims and slices say. Not thread-safe, not even to read.
class DeviceHolders {
 public:
  DeviceHolders();
  ~DeviceHolders();
  DeviceHolders(const DeviceHolders&) = delete;
  DeviceHolders& operator=(const DeviceHolders&) = delete;
  DeviceHolders(DeviceHolders&&) noexcept;
  DeviceHolders& operator=(DeviceHolders&&) noexcept;

  /// The claim `before` is now `after`; null: it was not, or is no more. O(results), and the
  /// holders of a shared device.
  void SetClaim(const api::resource_v1::ResourceClaim* before,
                const api::resource_v1::ResourceClaim* after);
  /// The same of a slice. It is kept. O(log n).
  void SetSlice(const api::resource_v1::ResourceSlice* before,
                const Frozen<api::resource_v1::ResourceSlice>& after);

  /// Whether `after`, which is to replace `before`, may have what it has and `before` has not.
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

  // By driver/pool.
  std::unordered_map<std::string, std::unique_ptr<PoolHolders>, PoolHolders::Hash, std::equal_to<>>
      pools_;
};

}  // namespace dray::server::registry
