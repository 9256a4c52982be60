// SPDX-License-Identifier: Apache-2.0
#include "allocator/snapshot/same_device.h"

#include <algorithm>

#include "api/claims/device_entries.h"
#include "base/hash.h"

namespace dray::allocator::snapshot {
namespace {

namespace v1 = api::resource_v1;
using api::claims::HashEntry;

template <class T>
bool SameEntries(const api::SharedMap<T>& a, const api::SharedMap<T>& b) {
  // What several slices hold together is one.
  return std::ranges::equal(
      a, b, [](const auto& x, const auto& y) { return &x == &y || api::claims::SameEntry(x, y); });
}

}  // namespace

bool SameButName(const v1::Device& a, const v1::Device& b) {
  // Names every member, so that a new one is not forgotten.
  const auto& [name,
               attributes,
               capacity,
               consumes,
               node_name,
               node_selector,
               all_nodes,
               taints,
               binds_to_node,
               conditions,
               failure_conditions,
               multiple,
               mappings,
               resources,
               no_basic] = a;
  return SameEntries(attributes, b.attributes) && SameEntries(capacity, b.capacity) &&
         consumes == b.consumes_counters && node_name == b.node_name &&
         node_selector == b.node_selector && all_nodes == b.all_nodes && taints == b.taints &&
         binds_to_node == b.binds_to_node && conditions == b.binding_conditions &&
         conditions.present() == b.binding_conditions.present() &&
         failure_conditions == b.binding_failure_conditions &&
         multiple == b.allow_multiple_allocations &&
         mappings == b.node_allocatable_resource_mappings &&
         resources == b.node_allocatable_resources && no_basic == b.no_basic;
}

uint64_t HashButName(const v1::Device& device) {
  Hasher hash;
  for (const auto& entry : device.attributes) hash.Add(HashEntry(entry));
  for (const auto& entry : device.capacity) hash.Add(HashEntry(entry));
  for (const v1::DeviceCounterConsumption& consumption : device.consumes_counters) {
    hash.Add(consumption.counter_set);
    for (const auto& [name, counter] : consumption.counters) {
      hash.Add(name).Add(static_cast<uint64_t>(counter.value.Value()));
    }
  }
  for (const v1::DeviceTaint& taint : device.taints) hash.Add(taint.key).Add(taint.value);
  if (device.node_name.has_value()) hash.Add(*device.node_name);
  return hash.value();
}

}  // namespace dray::allocator::snapshot
