// SPDX-License-Identifier: Apache-2.0
// When the clocks of a place show what: the content of one compiled file of the time zone database
// (RFC 9636), read as Go reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace dray::cel::inline language {

/// Offsets from UTC of one place, for all times. Immutable.
class TimeZone {
 public:
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

}  // namespace dray::cel::inline language
