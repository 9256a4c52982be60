// SPDX-License-Identifier: Apache-2.0
// For tests: the shared vectors on disk, and devices written in their notation.
#pragma once

#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include "base/world.h"
#include "cel/device.h"

namespace dray::cel::testing {

/// Where the vectors are; DRAY_SHARED overrides the folder beside the project.
inline std::string SharedFolder() {
  const char* const given = std::getenv("DRAY_SHARED");
  return given != nullptr ? given : DRAY_SOURCE_DIR "/../shared";
}

/// Nothing if the vectors are not on this machine.
inline std::optional<std::string> ReadShared(const std::string& path) {
  auto text = RealWorld().disk.Read(SharedFolder() + "/" + path);
  if (!text.has_value()) return std::nullopt;
  return *std::move(text);
}

inline std::string_view Text(const boost::json::value& value) {
  const auto& text = value.as_string();
  return {text.data(), text.size()};
}

inline std::string_view TextAt(const boost::json::object& object, std::string_view key) {
  const auto* const found = object.if_contains(boost::json::string_view(key.data(), key.size()));
  return found != nullptr && found->is_string() ? Text(*found) : std::string_view();
}

/// Owns what a Device refers to.
class DeviceFromJson {
 public:
  explicit DeviceFromJson(const boost::json::object& json) {
    device_.driver = Keep(TextAt(json, "driver"));
    if (const auto* const flag = json.if_contains("allowMultipleAllocations")) {
      device_.allow_multiple_allocations = flag->as_bool();
    }
    if (const auto* const attributes = json.if_contains("attributes")) {
      for (const auto& [name, value] : attributes->as_object()) {
        device_.attributes.push_back(
            {Keep({name.data(), name.size()}), AttributeOf(value.as_object())});
      }
    }
    if (const auto* const capacity = json.if_contains("capacity")) {
      for (const auto& [name, value] : capacity->as_object()) {
        quantities_.push_back(api::Quantity::Parse(Text(value)).value());
        device_.capacity.push_back({Keep({name.data(), name.size()}), &quantities_.back()});
      }
    }
    activation_.emplace(device_);
  }

  const DeviceActivation& activation() const { return *activation_; }

 private:
  std::string_view Keep(std::string_view text) { return texts_.emplace_back(text); }

  AttributeValue AttributeOf(const boost::json::object& json) {
    if (json.empty()) return {};
    const auto& [key, value] = *json.begin();
    if (key == "bool") return value.as_bool();
    if (key == "int") return static_cast<int64_t>(std::stoll(std::string(Text(value))));
    if (key == "string") return Keep(Text(value));
    if (key == "version") return VersionText{Keep(Text(value))};
    if (key == "bools") {
      std::vector<bool> flags;
      for (const auto& item : value.as_array()) flags.push_back(item.as_bool());
      return flags;
    }
    if (key == "ints") {
      std::vector<int64_t>& numbers = numbers_.emplace_back();
      for (const auto& item : value.as_array())
        numbers.push_back(std::stoll(std::string(Text(item))));
      return std::span<const int64_t>(numbers);
    }
    std::vector<std::string>& texts = lists_.emplace_back();
    for (const auto& item : value.as_array()) texts.emplace_back(Text(item));
    if (key == "versions") return VersionTexts{texts};
    return std::span<const std::string>(texts);
  }

  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> numbers_;
  std::deque<std::vector<std::string>> lists_;
  std::deque<api::Quantity> quantities_;
  Device device_;
  std::optional<DeviceActivation> activation_;
};

}  // namespace dray::cel::testing
