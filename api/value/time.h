// SPDX-License-Identifier: Apache-2.0
// Time, MicroTime and Duration of metav1: instants in RFC 3339 and durations in Go's spelling.
#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/wall_time.h"

namespace dray::api::inline value {

/// 0001-01-01T00:00:00Z, Go's zero time: the value of an unset time.
inline constexpr int64_t kZeroTimeUnixSeconds = -62'135'596'800;
/// 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z: the range of a year with four digits. No client
/// could read a time beyond it.
inline constexpr int64_t kTimeMinUnixSeconds = -62'167'219'200;
inline constexpr int64_t kTimeMaxUnixSeconds = 253'402'300'799;

/// An instant in RFC 3339, without an allocation.
class InstantText {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): it is a text
  operator std::string_view() const { return {chars_.data(), size_}; }

  /// Text that does not fit is left out; every instant fits.
  void Append(std::string_view text) {
    size_ += text.copy(chars_.data() + size_, chars_.size() - size_);
  }

 private:
  // The longest has a sign, twelve digits of a year, and a fraction.
  std::array<char, 48> chars_{};
  size_t size_ = 0;
};

/// An instant with the resolution of seconds. The default is the zero time, which means "absent".
class Time {
 public:
  constexpr Time() = default;
  static constexpr Time FromUnixSeconds(int64_t seconds) {
    Time time;
    time.unix_seconds_ = seconds;
    return time;
  }
  /// The second that `moment` lies in.
  static constexpr Time Of(WallTime moment) {
    return FromUnixSeconds(
        std::chrono::floor<std::chrono::seconds>(moment).time_since_epoch().count());
  }

  /// Reads RFC 3339 as Go does: offsets are converted to UTC, a fraction of any length is read and
  /// dropped; a one-digit hour and offsets up to 24:60 pass.
  ///
  /// Errors: kBadRequest with Go's words (parsing time "…" as "…": cannot parse "…" as "…"); also
  /// when the offset makes it a time before kTimeMinUnixSeconds or after kTimeMaxUnixSeconds,
  /// because no client could read the output of ToString().
  static Result<Time> Parse(std::string_view text);

  /// 2006-01-02T15:04:05Z, also of the zero time.
  InstantText text() const;
  std::string ToString() const { return std::string(std::string_view(text())); }
  int64_t unix_seconds() const { return unix_seconds_; }
  bool IsZero() const { return *this == Time(); }
  constexpr auto operator<=>(const Time&) const = default;

 private:
  int64_t unix_seconds_ = kZeroTimeUnixSeconds;
};

/// An instant with the resolution of microseconds. The default is the zero time: "absent".
class MicroTime {
 public:
  constexpr MicroTime() = default;
  static constexpr MicroTime FromUnixMicros(int64_t micros) {
    MicroTime time;
    time.unix_micros_ = micros;
    return time;
  }
  /// Drops the part below a microsecond; saturates at the ends of int64.
  static MicroTime FromUnix(int64_t seconds, int32_t nanos);

  /// Like Time::Parse, but exactly six digits of fraction must be there: clients send them so, and
  /// upstream refuses anything else. Errors: kBadRequest with Go's words.
  static Result<MicroTime> Parse(std::string_view text);

  /// 2006-01-02T15:04:05.000000Z, always with six digits.
  InstantText text() const;
  std::string ToString() const { return std::string(std::string_view(text())); }
  int64_t unix_micros() const { return unix_micros_; }
  bool IsZero() const { return *this == MicroTime(); }
  constexpr auto operator<=>(const MicroTime&) const = default;

 private:
  int64_t unix_micros_ = kZeroTimeUnixSeconds * 1'000'000;
};

/// A span of time in nanoseconds, spelt as Go does.
class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration FromNanos(int64_t nanos) {
    Duration duration;
    duration.nanos_ = nanos;
    return duration;
  }
  static constexpr Duration FromSeconds(int32_t seconds) {
    return FromNanos(int64_t{seconds} * 1'000'000'000);
  }

  /// Reads "1h2m3s", "-1.5h", "300ms", "0": numbers with the units ns us µs ms s m h.
  ///
  /// Errors: kBadRequest with Go's words (time: invalid duration "…").
  static Result<Duration> Parse(std::string_view text);

  /// "1h2m3s", "1.5s", "2ms", "0s".
  std::string ToString() const;
  int64_t nanos() const { return nanos_; }
  constexpr auto operator<=>(const Duration&) const = default;

 private:
  int64_t nanos_ = 0;
};

}  // namespace dray::api::inline value
