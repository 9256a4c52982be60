// SPDX-License-Identifier: Apache-2.0
#include "tests/vectors/cel_device.h"

#include <span>

#include "tests/vectors/case_files.h"

namespace dray::vectors {
namespace {

namespace json = boost::json;

const json::object& ObjectOf(const json::object& object, std::string_view name) {
  static const json::object kNone;
  const json::value* const value = object.if_contains(name);
  return value != nullptr && value->is_object() ? value->as_object() : kNone;
}

int64_t IntegerOf(const json::value& value) {
  return std::stoll(std::string(value.as_string()));
}

}  // namespace

CelDevice::CelDevice(const json::object& json) {
  cel::Device device;
  device.driver = Keep(TextOf(json, "driver"));
  if (const json::value* const flag = json.if_contains("allowMultipleAllocations")) {
    device.allow_multiple_allocations = flag->as_bool();
  }
  for (const auto& [name, value] : ObjectOf(json, "attributes")) {
    device.attributes.push_back({Keep(name), AttributeOf(value.as_object())});
  }
  for (const auto& [name, value] : ObjectOf(json, "capacity")) {
    quantities_.push_back(api::Quantity::Parse(value.as_string()).value());
    device.capacity.push_back({Keep(name), &quantities_.back()});
  }
  activation_.emplace(device);
}

cel::AttributeValue CelDevice::AttributeOf(const json::object& json) {
  if (json.empty()) return {};
  const std::string_view kind = json.begin()->key();
  const json::value& value = json.begin()->value();
  if (value.is_array()) return ListAttributeOf(kind, value.as_array());
  if (kind == "bool") return value.as_bool();
  if (kind == "int") return IntegerOf(value);
  if (kind == "string") return Keep(value.as_string());
  return cel::VersionText{Keep(value.as_string())};
}

cel::AttributeValue CelDevice::ListAttributeOf(std::string_view kind, const json::array& items) {
  has_lists_ = true;
  if (kind == "bools") {
    std::vector<bool> flags;
    for (const json::value& item : items) flags.push_back(item.as_bool());
    return flags;
  }
  if (kind == "ints") {
    std::vector<int64_t>& numbers = numbers_.emplace_back();
    for (const json::value& item : items) numbers.push_back(IntegerOf(item));
    return std::span<const int64_t>(numbers);
  }
  std::vector<std::string>& texts = lists_.emplace_back();
  for (const json::value& item : items) texts.emplace_back(item.as_string());
  if (kind == "versions") return cel::VersionTexts{texts};
  return std::span<const std::string>(texts);
}

}  // namespace dray::vectors
