// SPDX-License-Identifier: Apache-2.0
// Types and formats that schemas of definitions know.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "custom/definitions/is_in.h"

namespace dray::custom::definitions {

inline constexpr std::array<std::string_view, 6> kKnownTypes = {
    "array", "boolean", "integer", "number", "object", "string"};

/// A schema need not have a type everywhere.
constexpr bool IsKnownType(std::string_view type) {
  return type.empty() || IsIn(kKnownTypes, type);
}

/// Whether values of this type are checked against the format, which is not empty. Others are
/// accepted and mean nothing.
bool IsKnownFormat(std::string_view type, std::string_view format);

}  // namespace dray::custom::definitions
