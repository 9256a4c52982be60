// SPDX-License-Identifier: Apache-2.0
// The pools and devices that a node reaches, read from the slices in a simple way, independently of
// the allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "api/core_v1/node.h"
#include "api/resource_v1/slice.h"
#include "base/result.h"
#include "dray/device_id.h"
#include "tests/judges/problem.h"

namespace dray::judges {

struct SeenDevice {
  const api::resource_v1::ResourceSlice* slice;
  const api::resource_v1::Device* device;
  size_t pool;  // in SeenPools::pools

  allocator::DeviceIdView id() const {
    return {slice->spec.driver, slice->spec.pool.name, device->name};
  }
};

enum class PoolHealth : uint8_t { kUsable, kIncomplete, kInvalid };

struct SeenPool {
  std::string driver, name;
  PoolHealth health = PoolHealth::kUsable;
  // For a usable pool:
  std::vector<const api::resource_v1::ResourceSlice*> here;       // with devices for the node
  std::vector<const api::resource_v1::ResourceSlice*> elsewhere;  // with devices for other nodes
  std::vector<const api::resource_v1::CounterSet*> counter_sets;
  bool is_last = false;  // some device has binding conditions
};

/// Pools and devices in the order in which upstream tries them.
struct SeenPools {
  std::vector<SeenPool> pools;
  std::vector<SeenDevice> devices;  // of usable pools
};

/// Errors: an invalid node selector, which aborts the allocation on that node.
Result<SeenPools> SeePools(const Problem& problem, const api::core_v1::Node& node);

/// Whether a slice's spec, or a device, selects the node. Errors: its node selector is invalid.
Result<bool> IsForNode(const api::core_v1::Node& node, const api::resource_v1::ResourceSliceSpec&);
Result<bool> IsForNode(const api::core_v1::Node& node, const api::resource_v1::Device& device);

}  // namespace dray::judges
