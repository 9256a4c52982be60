// SPDX-License-Identifier: Apache-2.0
// Attributes as sets of values, which is how constraints compare them when attributes may be lists
// (KEP-5491): a single value is a set of one.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "api/resource_v1/slice.h"

namespace dray::allocator::rules {

struct AttributeValues {
  enum class Type : uint8_t { kInt, kBool, kString, kVersion };
  Type type;
  std::set<std::string> values;  // as text, never empty
};

/// The values of the attribute; nothing when it has none that is known. If it has several forms,
/// the first counts: lists before single values; ints, bools, strings, versions.
std::optional<AttributeValues> ValuesOf(const api::resource_v1::DeviceAttribute& attribute);

/// What both have; nothing when the types differ or no value is in both.
std::optional<AttributeValues> Common(const AttributeValues& a, const AttributeValues& b);

}  // namespace dray::allocator::rules
