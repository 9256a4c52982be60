// SPDX-License-Identifier: Apache-2.0
// The pools of a cluster and what claims have of them: what every account of what is left begins
// with (KEP-5677, dray capacity).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource_v1/claim.h"
#include "api/resource_v1/slice.h"
#include "api/value/quantity.h"
#include "base/frozen.h"

namespace dray::controllers {

using Amounts = std::map<std::string, api::Quantity, std::less<>>;   // by name
using CounterAmounts = std::map<std::string, Amounts, std::less<>>;  // by set, then counter

struct PoolUsage {
  int64_t generation = 0;
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices;  // of that generation, as given
  std::set<std::string, std::less<>> used;                      // devices that claims have, by name
  std::map<std::string, Amounts, std::less<>> consumed;         // by shared device

  /// How many slices the pool says it has. Precondition: there is one.
  int64_t expected_slices() const { return slices.front()->spec.pool.resource_slice_count; }
};
using PoolUsages = std::map<std::string, PoolUsage, std::less<>>;  // by name

/// By driver, then name, the pools that are `wanted`. Only slices of the newest generation of a
/// pool count. A device is used when a claim has it, or a share of it, other than for
/// administration. O((slices + results of claims) * log).
std::map<std::string, PoolUsages, std::less<>> UsageOfPools(
    std::span<const Frozen<api::resource_v1::ResourceSlice>> slices,
    std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
    const std::function<bool(std::string_view driver, std::string_view pool)>& wanted);

/// What used devices have left of the counters of the pool; less than nothing if they have too
/// much.
CounterAmounts CountersLeft(const PoolUsage& pool);

/// Whether so much is left of each counter as the device draws.
bool FitsCounters(const api::resource_v1::Device& device, const CounterAmounts& left);

/// Takes what the device draws; counters that are not there are passed over.
void DrawCounters(const api::resource_v1::Device& device, CounterAmounts& left);

/// The text of the attribute, "domain/id", whose name in the device may lack the driver's domain;
/// null when there is none.
const std::string* AttributeText(const api::resource_v1::Device& device,
                                 std::string_view driver,
                                 std::string_view attribute);

}  // namespace dray::controllers
