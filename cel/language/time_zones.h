// SPDX-License-Identifier: Apache-2.0
// The time zones that expressions may name: getHours("Europe/Berlin"). The builder of an
// Environment makes them, with a function that reads the files; base/zoneinfo.h has the system's.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/published.h"
#include "base/result.h"
#include "cel/language/time_zone.h"

namespace dray::cel::inline language {

/// Names whose zone is kept. There are about 600 zones, but each has names without end
/// ("Europe//Berlin").
inline constexpr size_t kZonesMax = 1024;

/// For any number of threads. What was read is kept, up to kZonesMax; others are read again.
class TimeZones {
 public:
  /// The compiled file of the zone `name`. Called by any thread.
  /// Errors: kInvalid  in Go's words: "unknown time zone X", …
  using ReadFile = std::function<Result<std::string>(std::string_view name)>;

  explicit TimeZones(ReadFile read);

  /// Costs O(log zones) once the zone was read.
  /// Errors: as ReadFile and TimeZone::FromFile; these are not kept.
  Result<Frozen<TimeZone>> Find(std::string_view name) const;

 private:
  using Zones = std::map<std::string, Frozen<TimeZone>, std::less<>>;

  const ReadFile read_;
  mutable Published<Zones> known_;
};

/// The zone `name` of `zones`; `zones` may be null and then has none. The result nullptr means UTC,
/// which is always there: "", "UTC", and "Local", because control planes run on UTC.
///
/// Errors: kInvalid  in Go's words: "unknown time zone X", "time: invalid location name", …
Result<Frozen<TimeZone>> FindTimeZone(const TimeZones* zones, std::string_view name);

}  // namespace dray::cel::inline language
