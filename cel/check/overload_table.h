// SPDX-License-Identifier: Apache-2.0
// The declarations of the environment as text, read once by check/declarations.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "api/release.h"
#include "cel/environment.h"

namespace dray::cel {

enum class Style : uint8_t { kGlobal, kMember };

/// The releases that declare something, for stored and for new expressions. Release n builds the
/// environment of new ones for the release before, so there things often come one later.
struct Availability {
  api::Releases stored;
  api::Releases fresh;

  constexpr bool Has(const Environment& environment) const {
    return (environment.use == ExpressionUse::kStored ? stored : fresh).Rules(environment.rules());
  }
};

struct OverloadText {
  std::string_view names;  // separated by blanks
  Style style;
  std::string_view parameters;  // separated by "; ", the receiver first; $A is a type parameter
  std::string_view result;
  Availability available = {};
};

std::span<const OverloadText> OverloadTable();

}  // namespace dray::cel
