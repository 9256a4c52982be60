// SPDX-License-Identifier: Apache-2.0
// Rules for the clock as POSIX writes them in TZ: when summer time begins and ends, year after
// year.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dray::cel::inline language {

/// Seconds east of UTC at this time by a rule such as "CET-1CEST,M3.5.0,M10.5.0/3"; nothing where
/// Go cannot read the rule.
std::optional<int32_t> OffsetByRule(std::string_view rule, int64_t unix_seconds);

}  // namespace dray::cel::inline language
