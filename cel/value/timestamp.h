// SPDX-License-Identifier: Apache-2.0
// Points in time, as expressions see them.
#pragma once

#include <compare>
#include <cstdint>

namespace dray::cel::inline value {

/// Between 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999999Z. The offset is the one it was
/// written with: it is written out again, and comparisons ignore it.
struct Timestamp {
  int64_t seconds = 0;  // since 1970, UTC, rounded down
  int32_t nanoseconds = 0;
  int32_t offset_seconds = 0;

  friend bool operator==(const Timestamp& a, const Timestamp& b) {
    return (a <=> b) == std::strong_ordering::equal;
  }
  friend std::strong_ordering operator<=>(const Timestamp& a, const Timestamp& b) {
    if (const auto order = a.seconds <=> b.seconds; order != 0) return order;
    return a.nanoseconds <=> b.nanoseconds;
  }
};

}  // namespace dray::cel::inline value
