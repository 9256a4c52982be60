// SPDX-License-Identifier: Apache-2.0
// The declarations of the environment as text, read once by check/declarations.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cel/language/availability.h"

namespace dray::cel::check {

enum class Style : uint8_t { kGlobal, kMember };

/// kHidden: upstream declares the function for old syntax trees only; the checker does not find it.
enum class Visibility : uint8_t { kShown, kHidden };

struct OverloadText {
  std::string_view names;  // separated by blanks
  Style style;
  std::string_view parameters;  // separated by "; ", the receiver first; $A is a type parameter
  std::string_view result;
  Availability available = {};
  Visibility visibility = Visibility::kShown;
};

std::span<const OverloadText> OverloadTable();

}  // namespace dray::cel::check
