// SPDX-License-Identifier: Apache-2.0
#include "cel/api_device.h"

#include <span>
#include <utility>
#include <vector>

namespace dray::cel {
namespace {

namespace v1 = api::resource_v1;

/// Lists before single values, in upstream's order of precedence. A list may be empty.
AttributeValue ValueOf(const v1::DeviceAttribute& attribute) {
  if (attribute.ints.present()) return std::span(attribute.ints);
  if (attribute.bools.present()) {
    std::vector<bool> values;
    values.reserve(attribute.bools.size());
    for (const api::Bool value : attribute.bools) values.push_back(value.value);
    return values;
  }
  if (attribute.strings.present()) return std::span(attribute.strings);
  if (attribute.versions.present()) return VersionTexts{attribute.versions};
  if (attribute.int_.has_value()) return *attribute.int_;
  if (attribute.bool_.has_value()) return *attribute.bool_;
  if (attribute.string.has_value()) return std::string_view(*attribute.string);
  if (attribute.version.has_value()) return VersionText{*attribute.version};
  return std::monostate();
}

}  // namespace

Device DeviceOf(std::string_view driver, const v1::Device& device) {
  Device out{.driver = driver,
             .allow_multiple_allocations = device.allow_multiple_allocations.value_or(false)};
  out.attributes.reserve(device.attributes.size());
  for (const auto& [name, attribute] : device.attributes) {
    out.attributes.push_back({name, ValueOf(attribute)});
  }
  out.capacity.reserve(device.capacity.size());
  for (const auto& [name, capacity] : device.capacity) {
    out.capacity.push_back({name, &capacity.value});
  }
  return out;
}

}  // namespace dray::cel
