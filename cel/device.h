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
#include "cel/environment.h"
#include "cel/eval/arena.h"
#include "cel/eval/value.h"

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

/// A device made ready for evaluation, to be built once and used by any number of selectors and
/// threads. Refers to what the Device refers to.
///
/// Names without a domain belong to the driver's. If "id" and "driver/id" are both there, the first
/// counts (upstream picks either). An unknown domain reads as an empty map.
/// Costs O(n log n) for n names and a few allocations.
class DeviceActivation {
 public:
  explicit DeviceActivation(const Device& device);
  DeviceActivation(const DeviceActivation&) = delete;
  DeviceActivation& operator=(const DeviceActivation&) = delete;
  ~DeviceActivation() = default;

  /// Why no selector can be evaluated on this device, or empty: an attribute without a known value,
  /// or with a version that is none, or with a list where there are none. Of several, the first by
  /// name.
  const std::string& error(const Environment& environment) const {
    return environment.reads_lists() ? error_ : error_without_lists_;
  }
  /// The variable `device`. Only if there is no error.
  const Value& value() const { return value_; }

 private:
  Arena arena_;
  Value value_;
  std::string error_;
  std::string error_without_lists_;
};

}  // namespace dray::cel
