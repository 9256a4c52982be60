// SPDX-License-Identifier: Apache-2.0
#include "allocator/snapshot/same_device.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/hash.h"

namespace dray::allocator::snapshot {
namespace {

namespace v1 = api::resource_v1;
using api::Quantity;

bool Same(const std::optional<Quantity>& a, const std::optional<Quantity>& b) {
  return a.has_value() == b.has_value() && (!a.has_value() || SameRepresentation(*a, *b));
}

bool Same(const api::Maybe<v1::CapacityRequestPolicy>& a,
          const api::Maybe<v1::CapacityRequestPolicy>& b) {
  if (a != b) return false;
  if (!a.has_value()) return true;
  const bool same_values = std::ranges::equal(
      a->valid_values, b->valid_values, [](const Quantity& x, const Quantity& y) {
        return SameRepresentation(x, y);
      });
  if (!same_values || !Same(a->default_, b->default_)) return false;
  if (a->valid_values.present() != b->valid_values.present()) return false;
  const auto& x = a->valid_range;
  const auto& y = b->valid_range;
  return !x.has_value() || (Same(x->min, y->min) && Same(x->max, y->max) && Same(x->step, y->step));
}

bool Same(const api::Map<v1::DeviceCapacity>& a, const api::Map<v1::DeviceCapacity>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return x.first == y.first && SameRepresentation(x.second.value, y.second.value) &&
           Same(x.second.request_policy, y.second.request_policy);
  });
}

bool Same(const api::Map<v1::DeviceAttribute>& a, const api::Map<v1::DeviceAttribute>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    const v1::DeviceAttribute& p = x.second;
    const v1::DeviceAttribute& q = y.second;
    return x.first == y.first && p == q && p.ints.present() == q.ints.present() &&
           p.bools.present() == q.bools.present() && p.strings.present() == q.strings.present() &&
           p.versions.present() == q.versions.present();
  });
}

void AddAttribute(const v1::DeviceAttribute& attribute, Hasher& hash) {
  if (attribute.string.has_value()) hash.Add(*attribute.string);
  if (attribute.int_.has_value()) hash.Add(static_cast<uint64_t>(*attribute.int_));
  if (attribute.bool_.has_value()) hash.Add(*attribute.bool_ ? 1U : 2U);
  if (attribute.version.has_value()) hash.Add(*attribute.version);
  for (const int64_t number : attribute.ints) hash.Add(static_cast<uint64_t>(number));
  for (const std::string& text : attribute.strings) hash.Add(text);
  for (const std::string& text : attribute.versions) hash.Add(text);
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
  return Same(attributes, b.attributes) && Same(capacity, b.capacity) &&
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
  for (const auto& [name, attribute] : device.attributes) {
    hash.Add(name);
    AddAttribute(attribute, hash);
  }
  for (const auto& [name, capacity] : device.capacity) {
    hash.Add(name).Add(static_cast<uint64_t>(capacity.value.Value()));
  }
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
