// SPDX-License-Identifier: Apache-2.0
// Devices of the API as selectors see them.
#pragma once

#include <string_view>

#include "api/resource_v1/slice.h"
#include "cel/device.h"

namespace dray::cel {

/// `device`, which `driver` publishes. Refers to both. If an attribute has several values,
/// upstream's order decides which one counts: lists before single values. O(attributes and
/// capacities).
Device DeviceOf(std::string_view driver, const api::resource_v1::Device& device);

/// The same into `out`, which is reused; values of attributes only where `reads` says of the name
/// that they are wanted: reading the others costs most.
template <class Reads>
void ReadDevice(std::string_view driver,
                const api::resource_v1::Device& device,
                Reads reads,
                Device& out);

/// The value of an attribute, as above.
AttributeValue ValueOf(const api::resource_v1::DeviceAttribute& attribute);

template <class Reads>
void ReadDevice(std::string_view driver,
                const api::resource_v1::Device& device,
                Reads reads,
                Device& out) {
  out.driver = driver;
  out.allow_multiple_allocations = device.allow_multiple_allocations.value_or(false);
  out.attributes.clear();
  for (const auto& [name, attribute] : device.attributes)
    out.attributes.push_back({name, reads(name) ? ValueOf(attribute) : AttributeValue()});
  out.capacity.clear();
  for (const auto& [name, capacity] : device.capacity)
    out.capacity.push_back({name, &capacity.value});
}

}  // namespace dray::cel
