// SPDX-License-Identifier: Apache-2.0
// Values as JSON has them.
#pragma once

#include <string_view>

#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel::eval {

/// The Go type that upstream converts them to.
inline constexpr std::string_view kGoJsonValue = "*structpb.Value";

/// `value` of null, bool, double, string, list and map alone: whole numbers become doubles (or
/// texts, if a double cannot hold them), times and bytes become texts. Errors, in upstream's words:
/// a value has no such form, or a map has a key that is no text. O(size).
Value JsonValueOf(Arena& arena, const Value& value);

}  // namespace dray::cel::eval
