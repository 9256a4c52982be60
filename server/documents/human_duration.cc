// SPDX-License-Identifier: Apache-2.0
#include "server/documents/human_duration.h"

#include <fmt/format.h>

namespace dray::server::documents {

std::string HumanDuration(int64_t seconds) {
  // Clocks differ: up to a second ahead is now, more than that is a mistake.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  const int64_t minutes = seconds / 60;
  const int64_t hours = minutes / 60;
  const int64_t days = hours / 24;
  const auto pair = [](int64_t large, char large_unit, int64_t small, char small_unit) {
    return small == 0 ? fmt::format("{}{}", large, large_unit)
                      : fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
  };
  if (seconds < 60 * 2) return fmt::format("{}s", seconds);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 60 * 3) return fmt::format("{}m", minutes);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  if (hours < 24 * 8) return pair(days, 'd', hours % 24, 'h');
  if (hours < 24 * 365 * 2) return fmt::format("{}d", days);
  if (hours < 24 * 365 * 8) return pair(days / 365, 'y', days % 365, 'd');
  return fmt::format("{}y", days / 365);
}

}  // namespace dray::server::documents
