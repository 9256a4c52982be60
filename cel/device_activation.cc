// SPDX-License-Identifier: Apache-2.0
#include "cel/device_activation.h"

#include <vector>

#include "cel/device_values.h"

namespace dray::cel {

DeviceActivation::DeviceActivation(const Device& device) {
  AttributeReader reader(arena_);
  std::vector<QualifiedValue> attributes;
  attributes.reserve(device.attributes.size());
  for (const Attribute& attribute : device.attributes) {
    attributes.push_back(
        Qualify(arena_.Copy(attribute.name), device.driver, reader.Read(attribute)));
  }
  std::vector<QualifiedValue> capacity;
  capacity.reserve(device.capacity.size());
  for (const Capacity& item : device.capacity) {
    capacity.push_back(Qualify(arena_.Copy(item.name), device.driver, Value::Quantity(item.value)));
  }
  SortQualified(attributes);
  SortQualified(capacity);
  error_ = reader.error();
  error_without_lists_ = reader.error_without_lists();
  value_ = MakeDevice(arena_,
                      {.driver = device.driver,
                       .attributes = attributes,
                       .capacity = capacity,
                       .allow_multiple_allocations = device.allow_multiple_allocations});
  value_before_34_ = WithoutMultipleAllocations(arena_, value_);
}

}  // namespace dray::cel
