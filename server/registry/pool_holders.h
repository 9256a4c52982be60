// SPDX-License-Identifier: Apache-2.0
// One pool: what its slices say, and which claims have its devices.
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
#include "base/published.h"

namespace dray::server::registry {

/// One result of one claim that holds a device.
struct Holding {
  std::string claim;  // namespace/name
  std::string share;  // canonical; empty: the whole device
  api::Map<api::Quantity> consumed;
};

/// What the newest generation of a pool says of it.
struct PoolDefinition {
  /// By name; null for a name that several devices have.
  std::unordered_map<std::string_view, const api::resource_v1::Device*> devices{};
  /// Nothing is committed.
  api::claims::CounterAccount counters{};
  /// Whether slices of any generation have counters, or devices that draw from some; also slices
  /// that were seen to go while somebody had a device of the pool.
  bool has_counters = false;
  /// Why more may belong to the pool than is known; empty if all is known.
  std::string gap{};
};

struct PoolHolders {
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  std::unordered_map<std::string, std::vector<Holding>, Hash, std::equal_to<>> held{};  // by device
  std::map<std::string, Frozen<api::resource_v1::ResourceSlice>, std::less<>> slices{};  // by name
  /// Whether slices had counters since somebody began to have a device of the pool.
  bool had_counters = false;
  mutable std::optional<PoolDefinition> definition{};  // made when asked for

  /// O(1), or after a change of slices O(devices of the pool).
  const PoolDefinition& Defined() const;
  /// Null if it is not published.
  const api::resource_v1::Device* Find(std::string_view device) const;
};

/// Whether the slice has counters, or devices that draw from some.
bool HasCounters(const api::resource_v1::ResourceSlice& slice);

/// One spelling for all of a share's id. Upstream takes UUIDs in lower case only.
std::string CanonicalShare(const std::optional<std::string>& share_id);

}  // namespace dray::server::registry
