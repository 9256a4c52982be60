// SPDX-License-Identifier: Apache-2.0
// The format duration.
#pragma once

#include <string_view>

namespace dray::custom::formats {

/// Whether `text` is a duration as Go spells it ("1h30m"), or holds at least one number followed by
/// a unit in the words of strfmt ("2 days", "3 wk"); upstream ignores what else stands there. A
/// number beyond int64 is refused. Linear.
bool IsDuration(std::string_view text);

}  // namespace dray::custom::formats
