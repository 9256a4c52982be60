// SPDX-License-Identifier: Apache-2.0
// What selectors read of a device (KEP-4381; CELDeviceSelector of resource.k8s.io/v1).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/value/quantity.h"

namespace dray::cel {

/// The text of a semantic version, and of several.
struct VersionText {
  std::string_view text;
};
struct VersionTexts {
  std::span<const std::string> texts;
};
/// The first alternative: the attribute has no value of a known type.
using AttributeValue = std::variant<std::monostate,
                                    bool,
                                    int64_t,
                                    std::string_view,
                                    VersionText,
                                    std::vector<bool>,
                                    std::span<const int64_t>,
                                    std::span<const std::string>,
                                    VersionTexts>;

struct Attribute {
  std::string_view name;  // "id" or "domain/id"
  AttributeValue value;
};

struct Capacity {
  std::string_view name;
  const api::Quantity* value = nullptr;
};

/// A view: the texts, lists and quantities must outlive it.
struct Device {
  std::string_view driver;
  std::vector<Attribute> attributes;
  std::vector<Capacity> capacity;
  bool allow_multiple_allocations = false;
};

}  // namespace dray::cel
