// SPDX-License-Identifier: Apache-2.0
// Timestamps and durations: reading, writing, arithmetic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel::library {

/// Reads RFC 3339 as Go's time.Parse does: T and Z in upper case, a fraction of any length (digits
/// after the ninth are dropped) after a dot or comma, one-digit hours, offsets up to 24:60. The
/// result may lie in the year 0, which no timestamp may.
std::optional<Timestamp> ReadTimestamp(std::string_view text);

/// RFC 3339 with the offset it was written with and as much of a fraction as is needed.
std::string TimestampText(const Timestamp& timestamp);

/// Seconds as a double, with the shortest fraction: "5400s", "0.000000001s".
std::string DurationText(int64_t nanoseconds);

// Conversions; the argument is of one of the declared types.
Value ToTimestamp(Arena& arena, const Value& value);
Value ToDuration(Arena& arena, const Value& value);

// a + b and a - b where a is a timestamp or a duration. Errors: "timestamp overflow",
// "integer overflow", "no such overload".
Value AddTime(Arena& arena, const Value& a, const Value& b);
Value SubtractTime(Arena& arena, const Value& a, const Value& b);

}  // namespace dray::cel::library
