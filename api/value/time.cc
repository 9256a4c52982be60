// SPDX-License-Identifier: Apache-2.0
// The reader walks Go's layout piece by piece because its error texts name the piece that failed.
#include "api/value/time.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/try.h"

namespace dray::api::inline value {
namespace {

constexpr std::string_view kLayout = "2006-01-02T15:04:05Z07:00";
constexpr std::string_view kMicroLayout = "2006-01-02T15:04:05.000000Z07:00";

constexpr int64_t kMicrosPerSecond = 1'000'000;

Failure RefuseTime(std::string message) {
  return Fail(StatusReason::kBadRequest, std::move(message));
}

bool IsDigitAt(std::string_view text, size_t i) {
  return i < text.size() && text[i] >= '0' && text[i] <= '9';
}

// Quotes as Go's package time does: every byte outside ASCII as \xNN.
std::string Quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte >= 0x80) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

struct Instant {
  int64_t seconds = 0;
  int64_t micros = 0;
};

// Reads one time; the first failure stays in error_ and everything after it does nothing.
class Reader {
 public:
  Reader(std::string_view layout, std::string_view text)
      : layout_(layout), text_(text), rest_(text) {}

  Result<Instant> Read() {
    const std::chrono::year year(static_cast<int>(Year()));
    Literal('-');
    const std::chrono::month month(static_cast<unsigned>(Number("01", 2, 1, 12, "month")));
    Literal('-');
    const std::chrono::day day(static_cast<unsigned>(Number("02", 2, 0, 99, "day")));
    const std::chrono::year_month_day date = year / month / day;
    Literal('T');
    const int64_t hour = Number("15", 1, 0, 23, "hour");
    Literal(':');
    const int64_t minute = Number("04", 2, 0, 59, "minute");
    Literal(':');
    const int64_t second = Number("05", 2, 0, 59, "second");
    Instant result;
    if (layout_ == kMicroLayout) {
      result.micros = SixDigits();
    } else {
      SkipFraction();
    }
    const int64_t offset = Offset();
    if (!error_ && !rest_.empty()) Stop(": extra text: " + Quote(rest_));
    if (!error_ && !date.ok()) Stop(": day out of range");
    if (error_) return RefuseTime(*std::move(error_));
    const std::chrono::sys_seconds midnight = std::chrono::sys_days(date);
    result.seconds =
        midnight.time_since_epoch().count() + hour * 3600 + minute * 60 + second - offset;
    if (result.seconds < kTimeMinUnixSeconds || result.seconds > kTimeMaxUnixSeconds) {
      Stop(": year out of range");
      return RefuseTime(*std::move(error_));
    }
    return result;
  }

 private:
  void Stop(std::string_view message) {
    error_ = fmt::format("parsing time {}{}", Quote(text_), message);
  }

  void Expected(std::string_view element) {
    if (error_) return;
    error_ = fmt::format("parsing time {} as {}: cannot parse {} as {}",
                         Quote(text_),
                         Quote(layout_),
                         Quote(rest_),
                         Quote(element));
  }

  void Literal(char c) {
    if (error_) return;
    if (!rest_.starts_with(c)) return Expected(std::string_view(&c, 1));
    rest_.remove_prefix(1);
  }

  int64_t Digits(size_t count) {
    int64_t value = 0;
    for (size_t i = 0; i < count; ++i) value = value * 10 + (rest_[i] - '0');
    rest_.remove_prefix(count);
    return value;
  }

  bool StartsWithDigits(size_t count) const {
    for (size_t i = 0; i < count; ++i) {
      if (!IsDigitAt(rest_, i)) return false;
    }
    return true;
  }

  int64_t Year() {
    if (StartsWithDigits(4)) return Digits(4);
    Expected("2006");
    return 0;
  }

  int64_t Number(std::string_view element,
                 size_t digits_min,
                 int64_t first,
                 int64_t last,
                 std::string_view name) {
    if (error_) return first;
    if (!StartsWithDigits(digits_min)) {
      Expected(element);
      return first;
    }
    const int64_t value = Digits(StartsWithDigits(2) ? 2 : digits_min);
    if (value < first || value > last) Stop(fmt::format(": {} out of range", name));
    return error_ ? first : value;
  }

  bool AtFraction() const { return (rest_.starts_with('.') || rest_.starts_with(',')); }

  void SkipFraction() {
    if (error_ || !AtFraction() || !IsDigitAt(rest_, 1)) return;
    rest_.remove_prefix(1);
    while (IsDigitAt(rest_, 0)) rest_.remove_prefix(1);
  }

  int64_t SixDigits() {
    if (error_) return 0;
    for (size_t i = 1; i <= 6; ++i) {
      if (AtFraction() && IsDigitAt(rest_, i)) continue;
      Expected(".000000");
      return 0;
    }
    rest_.remove_prefix(1);
    return Digits(6);
  }

  // Seconds east of UTC.
  int64_t Offset() {
    if (error_) return 0;
    if (rest_.starts_with('Z')) {
      rest_.remove_prefix(1);
      return 0;
    }
    const bool is_form = rest_.size() >= 6 && (rest_[0] == '+' || rest_[0] == '-') &&
                         rest_[3] == ':' && IsDigitAt(rest_, 1) && IsDigitAt(rest_, 2) &&
                         IsDigitAt(rest_, 4) && IsDigitAt(rest_, 5);
    if (!is_form) {
      Expected("Z07:00");
      return 0;
    }
    const bool west = rest_[0] == '-';
    rest_.remove_prefix(1);
    const int64_t hours = Digits(2);
    rest_.remove_prefix(1);
    const int64_t minutes = Digits(2);
    // Go lets 24 and 60 pass because some people write them.
    if (hours > 24) Stop(": time zone offset hour out of range");
    if (minutes > 60) Stop(": time zone offset minute out of range");
    const int64_t seconds = (hours * 60 + minutes) * 60;
    return west ? -seconds : seconds;
  }

  std::string_view layout_;
  std::string_view text_;
  std::string_view rest_;
  std::optional<std::string> error_;
};

// Writes `number` with as many digits at `to`; the place behind them.
char* PutDigits(unsigned number, size_t digits, char* to) {
  for (size_t i = digits; i-- > 0; number /= 10) to[i] = static_cast<char>('0' + number % 10);
  return to + digits;
}

// The calendar repeats after 400 years, and std::chrono's ends in the year 32767, so only the
// remainder of 400 years is passed to it. So every 64-bit second has a date. Every response has
// dates, so this avoids fmt.
InstantText DateAndTime(int64_t unix_seconds) {
  constexpr int64_t kYearsOfCycle = 400;
  constexpr std::chrono::days kCycle(146'097);
  const std::chrono::seconds since_epoch(unix_seconds);
  const auto days = std::chrono::floor<std::chrono::days>(since_epoch);
  const int64_t cycles = days / kCycle;
  const std::chrono::year_month_day date(std::chrono::sys_days(days % kCycle));
  const int64_t year = int{date.year()} + cycles * kYearsOfCycle;
  std::chrono::seconds of_day = since_epoch % std::chrono::days(1);
  if (of_day.count() < 0) of_day += std::chrono::days(1);
  const auto second = static_cast<unsigned>(of_day.count());
  std::array<char, std::string_view("-01-02T15:04:05").size()> rest = {};
  char* at = rest.data();
  const auto part = [&](char before, unsigned number) {
    *at = before;
    at = PutDigits(number, 2, at + 1);
  };
  part('-', unsigned{date.month()});
  part('-', unsigned{date.day()});
  part('T', second / 3600);
  part(':', second / 60 % 60);
  part(':', second % 60);
  InstantText text;
  if (year >= 0 && year <= 9999) {
    std::array<char, 4> digits = {};
    PutDigits(static_cast<unsigned>(year), digits.size(), digits.data());
    text.Append({digits.data(), digits.size()});
  } else {
    text.Append(fmt::format("{}{:04}", year < 0 ? "-" : "", year < 0 ? -year : year));
  }
  text.Append({rest.data(), rest.size()});
  return text;
}

struct DurationUnit {
  std::string_view name;
  uint64_t nanos;
};
constexpr std::array<DurationUnit, 8> kUnits = {{{"ns", 1},
                                                 {"us", 1'000},
                                                 {"\u00b5s", 1'000},  // micro sign
                                                 {"\u03bcs", 1'000},  // Greek letter mu
                                                 {"ms", 1'000'000},
                                                 {"s", 1'000'000'000},
                                                 {"m", 60'000'000'000},
                                                 {"h", 3'600'000'000'000}}};
constexpr uint64_t kDurationEnd = uint64_t{1} << 63;

// Reads digits into `value`; false past 2^63.
bool ReadInteger(std::string_view& text, uint64_t& value) {
  for (; IsDigitAt(text, 0); text.remove_prefix(1)) {
    if (value > kDurationEnd / 10) return false;
    value = value * 10 + static_cast<uint64_t>(text[0] - '0');
    if (value > kDurationEnd) return false;
  }
  return true;
}

// The digits after a dot as value / scale; digits too many for 64 bits are read and dropped.
struct Fraction {
  uint64_t value = 0;
  double scale = 1;
};
Fraction ReadFraction(std::string_view& text) {
  Fraction fraction;
  bool full = false;
  for (; IsDigitAt(text, 0); text.remove_prefix(1)) {
    full = full || fraction.value > (kDurationEnd - 1) / 10;
    if (full) continue;
    fraction.value = fraction.value * 10 + static_cast<uint64_t>(text[0] - '0');
    fraction.scale *= 10;
  }
  return fraction;
}

std::string_view TakeUnit(std::string_view& text) {
  const size_t end = std::min(text.find_first_of(".0123456789"), text.size());
  const std::string_view unit = text.substr(0, end);
  text.remove_prefix(end);
  return unit;
}

// One "number unit" in nanoseconds.
Result<uint64_t> ReadSpan(std::string_view& text, std::string_view whole) {
  const auto invalid = [&] { return RefuseTime("time: invalid duration " + Quote(whole)); };
  const std::string_view start = text;
  uint64_t value = 0;
  if (!ReadInteger(text, value)) return invalid();
  size_t digits = start.size() - text.size();
  Fraction fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    const size_t before = text.size();
    fraction = ReadFraction(text);
    digits += before - text.size();
  }
  if (digits == 0) return invalid();
  const std::string_view name = TakeUnit(text);
  if (name.empty()) return RefuseTime("time: missing unit in duration " + Quote(whole));
  const auto* unit = std::ranges::find(kUnits, name, &DurationUnit::name);
  if (unit == kUnits.end()) {
    return RefuseTime(
        fmt::format("time: unknown unit {} in duration {}", Quote(name), Quote(whole)));
  }
  if (value > kDurationEnd / unit->nanos) return invalid();
  value *= unit->nanos;
  if (fraction.value > 0) {
    const double part =
        static_cast<double>(fraction.value) * (static_cast<double>(unit->nanos) / fraction.scale);
    value += static_cast<uint64_t>(part);
    if (value > kDurationEnd) return invalid();
  }
  return value;
}

// value / 10^digits without trailing zeros.
std::string Decimal(uint64_t value, int digits) {
  std::string fraction;
  for (; digits > 0; --digits, value /= 10) {
    const char digit = static_cast<char>('0' + value % 10);
    if (digit != '0' || !fraction.empty()) fraction.insert(fraction.begin(), digit);
  }
  return std::to_string(value) + (fraction.empty() ? "" : "." + fraction);
}

}  // namespace

Result<Time> Time::Parse(std::string_view text) {
  DRAY_TRY(const Instant instant, Reader(kLayout, text).Read());
  return FromUnixSeconds(instant.seconds);
}

InstantText Time::text() const {
  InstantText text = DateAndTime(unix_seconds_);
  text.Append("Z");
  return text;
}

MicroTime MicroTime::FromUnix(int64_t seconds, int32_t nanos) {
  int64_t micros = 0;
  if (__builtin_mul_overflow(seconds, kMicrosPerSecond, &micros) ||
      __builtin_add_overflow(
          micros,
          std::chrono::floor<std::chrono::microseconds>(std::chrono::nanoseconds(nanos)).count(),
          &micros)) {
    micros =
        seconds < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  }
  return FromUnixMicros(micros);
}

Result<MicroTime> MicroTime::Parse(std::string_view text) {
  DRAY_TRY(const Instant instant, Reader(kMicroLayout, text).Read());
  return FromUnixMicros(instant.seconds * kMicrosPerSecond + instant.micros);
}

InstantText MicroTime::text() const {
  const std::chrono::microseconds moment(unix_micros_);
  int64_t micros = unix_micros_ % kMicrosPerSecond;
  if (micros < 0) micros += kMicrosPerSecond;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(moment);
  constexpr int kDigits = 6;
  std::array<char, 1 + kDigits + 1> rest = {'.'};
  *PutDigits(static_cast<unsigned>(micros), kDigits, &rest[1]) = 'Z';
  InstantText text = DateAndTime(seconds.count());
  text.Append({rest.data(), rest.size()});
  return text;
}

Result<Duration> Duration::Parse(std::string_view text) {
  const auto invalid = [&] { return RefuseTime("time: invalid duration " + Quote(text)); };
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return Duration();
  if (rest.empty()) return invalid();
  uint64_t total = 0;
  while (!rest.empty()) {
    DRAY_TRY(const uint64_t span, ReadSpan(rest, text));
    total += span;
    if (total > kDurationEnd) return invalid();
  }
  if (negative) return FromNanos(static_cast<int64_t>(0 - total));
  if (total == kDurationEnd) return invalid();
  return FromNanos(static_cast<int64_t>(total));
}

std::string Duration::ToString() const {
  constexpr uint64_t kSecond = 1'000'000'000;
  if (nanos_ == 0) return "0s";
  const auto bits = static_cast<uint64_t>(nanos_);
  const uint64_t nanos = nanos_ < 0 ? 0 - bits : bits;
  std::string text = nanos_ < 0 ? "-" : "";
  if (nanos < 1'000) return fmt::format("{}{}ns", text, nanos);
  if (nanos < 1'000'000) return fmt::format("{}{}\u00b5s", text, Decimal(nanos, 3));
  if (nanos < kSecond) return fmt::format("{}{}ms", text, Decimal(nanos, 6));
  const uint64_t minutes = nanos / kSecond / 60;
  if (minutes >= 60) text += fmt::format("{}h", minutes / 60);
  if (minutes > 0) text += fmt::format("{}m", minutes % 60);
  return fmt::format("{}{}s", text, Decimal(nanos % (60 * kSecond), 9));
}

}  // namespace dray::api::inline value
