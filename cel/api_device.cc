// SPDX-License-Identifier: Apache-2.0
#include "cel/api_device.h"

#include <span>
#include <utility>
#include <vector>

namespace dray::cel {

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

Device DeviceOf(std::string_view driver, const v1::Device& device) {
  Device out;
  out.attributes.reserve(device.attributes.size());
  out.capacity.reserve(device.capacity.size());
  ReadDevice(driver, device, [](std::string_view) { return true; }, out);
  return out;
}

}  // namespace dray::cel
