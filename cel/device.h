// SPDX-License-Identifier: Apache-2.0
// A device as selectors see it: the variable `device` (KEP-4381, resource/v1 CELDeviceSelector).
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
/// The first alternative is an attribute without any value that is known here.
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

/// Views: whoever fills them in keeps the texts, lists and quantities.
struct Device {
  std::string_view driver;
  std::vector<Attribute> attributes;
  std::vector<Capacity> capacity;
  bool allow_multiple_allocations = false;
};

}  // namespace dray::cel
