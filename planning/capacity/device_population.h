// SPDX-License-Identifier: Apache-2.0
// All devices of a cluster at once: the newest generation of each pool, in columns, so that a
// selector is evaluated on all of them together.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/resource_v1/claim.h"
#include "api/resource_v1/device_selector.h"
#include "api/resource_v1/slice.h"
#include "base/frozen.h"
#include "cel/batch/device_table.h"
#include "cel/batch/lanes.h"
#include "cel/selector_cache.h"
#include "controllers/pool_usage.h"
#include "dray/device_id.h"
#include "dray/features.h"

namespace dray::planning::inline capacity {

struct PopulationPool {
  std::string_view driver, name;
  const controllers::PoolUsage* usage = nullptr;
  std::string trouble = {};                  // why its devices are unavailable; empty: they are not
  size_t first_device = 0, last_device = 0;  // one past the end
};

struct PopulationDevice {
  size_t pool = 0;
  const api::resource_v1::ResourceSlice* slice = nullptr;
  const api::resource_v1::Device* device = nullptr;
  std::string_view node;  // the only node that reaches it; empty: several may

  const std::string& driver() const { return slice->spec.driver; }
  allocator::DeviceIdView id() const { return {driver(), slice->spec.pool.name, device->name}; }
};

/// Not thread-safe.
class DevicePopulation {
 public:
  /// O((devices + results of claims) * log).
  DevicePopulation(std::vector<Frozen<api::resource_v1::ResourceSlice>> slices,
                   std::span<const Frozen<api::resource_v1::ResourceClaim>> claims,
                   const allocator::Features& features);
  DevicePopulation(const DevicePopulation&) = delete;
  DevicePopulation& operator=(const DevicePopulation&) = delete;
  ~DevicePopulation() = default;

  /// By driver and name.
  const std::vector<PopulationPool>& pools() const { return pools_; }
  /// By pool, then as published. The index of a device is its lane below.
  const std::vector<PopulationDevice>& devices() const { return devices_; }

  /// The devices that match a list of selectors: each selector is evaluated where those before it
  /// match.
  struct Choice {
    cel::batch::Lanes matching;
    cel::batch::Lanes failing;   // a selector fails
    size_t failed_selector = 0;  // the first that fails
    std::string error = {};      // on the first such device; or the error of compilation
    bool compiles = true;        // all of them
  };
  /// O(different values) evaluations for each new selector.
  Choice Choose(std::span<const api::resource_v1::DeviceSelector> selectors,
                cel::SelectorCache& compiled) const;
  /// The same, restricted to the devices `among`.
  Choice Choose(std::span<const api::resource_v1::DeviceSelector> selectors,
                cel::SelectorCache& compiled,
                const cel::batch::Lanes& among) const;

  cel::batch::Lanes All() const;
  /// The devices in columns. The first call builds them: O(attributes and capacities).
  const cel::batch::DeviceTable& table() const;

 private:
  std::vector<Frozen<api::resource_v1::ResourceSlice>> slices_;
  std::map<std::string, controllers::PoolUsages, std::less<>> usages_;
  std::vector<PopulationPool> pools_;
  std::vector<PopulationDevice> devices_;
  bool knows_shares_;
  mutable std::shared_ptr<const cel::batch::DeviceTable> table_;  // null until the first use
};

}  // namespace dray::planning::inline capacity
