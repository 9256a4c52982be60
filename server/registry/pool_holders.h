// SPDX-License-Identifier: Apache-2.0
// One pool: its slices, and the claims that hold its devices.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/claims/pool_accounts.h"
#include "api/resource_v1/slice.h"
#include "api/value/map.h"
#include "api/value/quantity.h"
#include "base/frozen.h"

namespace dray::server::registry {

/// One result of one claim that holds a device.
struct Holding {
  std::string claim;  // namespace/name
  std::string share;  // canonical; empty: the whole device
  api::Map<api::Quantity> consumed;
};

/// The devices and counters in the newest generation of a pool.
struct PoolDefinition {
  /// By name; null for a name of several devices.
  std::unordered_map<std::string_view, const api::resource_v1::Device*> devices{};
  /// Without the allocated devices.
  api::claims::CounterAccount counters{};
  /// Whether slices of any generation have counters, or devices that consume some. Slices that were
  /// deleted while a claim held a device of the pool count, too.
  bool has_counters = false;
  /// Why the pool may have more devices than is known; empty if all are known.
  std::string gap{};
};

struct PoolHolders {
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  std::unordered_map<std::string, std::vector<Holding>, Hash, std::equal_to<>> held{};  // by device
  std::map<std::string, Frozen<api::resource_v1::ResourceSlice>, std::less<>> slices{};  // by name
  /// Whether a deleted slice had counters while a claim held a device of the pool.
  bool had_counters = false;
  mutable std::optional<PoolDefinition> definition{};  // made by Defined()

  /// The definition. O(1), or after a change of slices O(devices of the pool).
  const PoolDefinition& Defined() const;
  /// The device; null if no slice has it.
  const api::resource_v1::Device* Find(std::string_view device) const;
};

/// Whether the slice has counters, or devices that consume some.
bool HasCounters(const api::resource_v1::ResourceSlice& slice);

/// The canonical spelling of a share's id. Upstream accepts UUIDs in lower case only.
std::string CanonicalShare(const std::optional<std::string>& share_id);

}  // namespace dray::server::registry
