// SPDX-License-Identifier: Apache-2.0
// What devices publish, attribute by attribute and capacity by capacity.
#pragma once

#include <cstdint>

#include "api/resource_v1/slice.h"

namespace dray::api::claims {

/// An attribute or a capacity of a device, with its name.
using AttributeEntry = SharedMap<resource_v1::DeviceAttribute>::value_type;
using CapacityEntry = SharedMap<resource_v1::DeviceCapacity>::value_type;

/// Equal in everything that a reader can tell apart: amounts written differently (1Gi, 1073741824)
/// are different, and so are an empty list and an absent one.
bool SameEntry(const AttributeEntry& a, const AttributeEntry& b);
bool SameEntry(const CapacityEntry& a, const CapacityEntry& b);
/// Equal for entries that are.
uint64_t HashEntry(const AttributeEntry& entry);
uint64_t HashEntry(const CapacityEntry& entry);

}  // namespace dray::api::claims
