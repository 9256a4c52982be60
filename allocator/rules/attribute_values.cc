// SPDX-License-Identifier: Apache-2.0
#include "allocator/rules/attribute_values.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace dray::allocator::rules {
namespace {

using Type = AttributeValues::Type;

std::string TextOf(int64_t value) {
  return std::to_string(value);
}
std::string TextOf(bool value) {
  return value ? "true" : "false";
}
std::string TextOf(api::Bool value) {
  return TextOf(value.value);
}
std::string TextOf(std::string_view value) {
  return std::string(value);
}

template <class Values>
AttributeValues Made(Type type, const Values& values) {
  AttributeValues made{.type = type, .values = {}};
  for (const auto& value : values) made.values.insert(TextOf(value));
  return made;
}

template <class Value>
AttributeValues MadeOfOne(Type type, const Value& value) {
  return {.type = type, .values = {TextOf(value)}};
}

}  // namespace

std::optional<AttributeValues> ValuesOf(const api::resource_v1::DeviceAttribute& attribute) {
  if (!attribute.ints.empty()) return Made(Type::kInt, attribute.ints);
  if (!attribute.bools.empty()) return Made(Type::kBool, attribute.bools);
  if (!attribute.strings.empty()) return Made(Type::kString, attribute.strings);
  if (!attribute.versions.empty()) return Made(Type::kVersion, attribute.versions);
  if (attribute.int_.has_value()) return MadeOfOne(Type::kInt, *attribute.int_);
  if (attribute.bool_.has_value()) return MadeOfOne(Type::kBool, *attribute.bool_);
  if (attribute.string.has_value()) return MadeOfOne(Type::kString, *attribute.string);
  if (attribute.version.has_value()) return MadeOfOne(Type::kVersion, *attribute.version);
  return std::nullopt;
}

std::optional<AttributeValues> Common(const AttributeValues& a, const AttributeValues& b) {
  if (a.type != b.type) return std::nullopt;
  AttributeValues common{.type = a.type, .values = {}};
  std::ranges::set_intersection(
      a.values, b.values, std::inserter(common.values, common.values.end()));
  if (common.values.empty()) return std::nullopt;
  return common;
}

}  // namespace dray::allocator::rules
