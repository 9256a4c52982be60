// SPDX-License-Identifier: Apache-2.0
// Pools as one node sees them: which slices are of the newest generation, whether they are complete
// and free of contradictions, and in which order their devices are tried.
//
// A pool that is incomplete may hold the better device, and "all devices" of it is unknowable:
// nothing is taken from it until its remaining slices arrive (KEP-4381).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "allocator/inventory/inventory.h"
#include "api/core_v1/node.h"
#include "api/resource_v1/slice.h"
#include "base/result.h"
#include "dray/device_id.h"
#include "dray/features.h"

namespace dray::allocator::rules {

/// A device that can be tried, with its place in the order of all devices of the node.
struct DeviceEntry {
  const api::resource_v1::ResourceSlice* slice;
  const api::resource_v1::Device* device;
  size_t index = 0;  // dense, over all pools of the node; the same for entries of the same name
  size_t pool = 0;   // in GatheredPools::pools
  /// The first slice of the pool that has a device of this name: v0.31.8 looks there for the nodes
  /// of the result. Elsewhere names are unique, and this is `slice`.
  const api::resource_v1::ResourceSlice* named_in = nullptr;

  const std::string& driver() const { return slice->spec.driver; }
  DeviceIdView id() const { return {driver(), slice->spec.pool.name, device->name}; }
};

enum class PoolState : uint8_t { kComplete, kIncomplete, kInvalid };

struct Pool {
  std::string driver, name;
  PoolState state = PoolState::kComplete;
  std::string invalid_reason = {};                    // for kInvalid
  std::vector<std::vector<DeviceEntry>> slices = {};  // what may be tried, in that order
  std::vector<const api::resource_v1::ResourceSlice*> targeting = {};  // whose devices those are
  bool has_binding_conditions = false;
  // For the accounts of the whole pool: slices whose devices cannot be used on this node, and all
  // counter sets.
  std::vector<const api::resource_v1::ResourceSlice*> elsewhere = {};
  std::vector<const api::resource_v1::CounterSet*> counter_sets = {};

  std::string ToString() const { return driver + "/" + name; }
};

/// Calls `visit` with every device of a complete pool, those for other nodes last.
template <class Visit>
void ForEachPublished(const Pool& pool, Visit visit) {
  for (const std::vector<DeviceEntry>& slice : pool.slices) {
    for (const DeviceEntry& entry : slice) visit(*entry.device);
  }
  for (const api::resource_v1::ResourceSlice* slice : pool.elsewhere) {
    for (const api::resource_v1::Device& device : slice->spec.devices) visit(device);
  }
}

struct GatheredPools {
  std::vector<Pool> pools;  // in the order they are tried
  size_t device_count = 0;
  bool any_invalid = false;
};

/// The pools of `node`, in upstream's order: by driver and pool name, those with binding conditions
/// last. Where that order is random upstream (stable, v0.31.8), by driver and pool name.
/// O(slices of the node + shared slices), times log for sorting; older rules look at all slices.
///
/// Errors: kInvalid  a node selector cannot be parsed; names the slice.
Result<GatheredPools> GatherPools(const inventory::Inventory& inventory,
                                  const api::core_v1::Node& node,
                                  const Features& features);

/// Empty, or why nothing may be taken from a pool whose newest generation has these slices, all of
/// them: two devices or counter sets of one name, counters that are not there. As a node sees it
/// that sees all of them.
std::string ContradictionIn(const std::vector<const api::resource_v1::ResourceSlice*>& slices,
                            const Features& features);

}  // namespace dray::allocator::rules
