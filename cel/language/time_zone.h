// SPDX-License-Identifier: Apache-2.0
// Time zones by name, as Go's time.LoadLocation finds them: compiled files (RFC 9636) of the
// system's time zone database.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/published.h"
#include "base/result.h"

namespace dray::cel::inline language {

/// Offsets from UTC of one place, for all times. Immutable.
class TimeZone {
 public:
  /// Reads the content of a compiled file.
  ///
  /// Errors: kInvalid  "malformed time zone information".
  static Result<TimeZone> FromFile(std::string_view bytes);

  /// Seconds east of UTC at this time. Costs O(log transitions).
  int32_t OffsetAt(int64_t unix_seconds) const;

 private:
  struct Period {
    int32_t offset = 0;
    bool is_summer = false;
  };
  struct Transition {
    int64_t at = 0;
    uint8_t period = 0;
  };

  const Period& FirstPeriod() const;

  std::vector<Period> periods_;
  std::vector<Transition> transitions_;
  std::string rule_;  // for times after the last transition, as POSIX writes TZ
};

/// The zone called `name` ("Europe/Berlin"); nullptr stands for UTC ("", "UTC", and "Local":
/// control planes run on UTC). Files are read once and kept for the life of the process; there are
/// some six hundred.
///
/// Errors: kInvalid  in Go's words: "unknown time zone X", "time: invalid location name", …
Result<Frozen<TimeZone>> FindTimeZone(std::string_view name);

/// Offset by a rule such as "CET-1CEST,M3.5.0,M10.5.0/3"; nothing if it cannot be read.
std::optional<int32_t> OffsetByRule(std::string_view rule, int64_t unix_seconds);

}  // namespace dray::cel::inline language
