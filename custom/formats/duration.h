// SPDX-License-Identifier: Apache-2.0
// The format duration.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dray::custom::formats {

/// The nanoseconds of a duration as Go spells it ("1h30m"), or of at least one number followed by a
/// unit in the words of strfmt ("2 days", "3 wk"); upstream ignores what else stands there. A
/// number beyond int64 is refused; a sum beyond it wraps around, as upstream's does. Linear.
std::optional<int64_t> ParseDuration(std::string_view text);

/// Whether `text` is one.
inline bool IsDuration(std::string_view text) {
  return ParseDuration(text).has_value();
}

}  // namespace dray::custom::formats
