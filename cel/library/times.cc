// SPDX-License-Identifier: Apache-2.0
#include "cel/library/times.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "api/value/time.h"
#include "base/result.h"
#include "base/try.h"
#include "cel/language/time_zones.h"
#include "cel/library/builtin.h"
#include "cel/library/go_numbers.h"
#include "cel/library/tables.h"
#include "cel/value/make.h"

namespace dray::cel::library {
namespace {

using Arguments = std::span<const Value>;
using std::chrono::sys_days;
using std::chrono::sys_seconds;

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr int64_t kFirstSecond = -62'135'596'800;  // 0001-01-01T00:00:00Z
constexpr int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z

bool IsInRange(int64_t seconds) {
  return seconds >= kFirstSecond && seconds <= kLastSecond;
}

Value TimestampOverflow() {
  return Value::Error("timestamp overflow");
}
Value IntegerOverflow() {
  return Value::Error("integer overflow");
}

// Takes the pieces of an RFC 3339 text from the front; the first one that does not fit is
// remembered.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : rest_(text) {}

  int Number(size_t digits_min, size_t digits_max, int last) {
    int value = 0;
    size_t digits = 0;
    for (; digits < digits_max && AtDigit(); ++digits) {
      value = value * 10 + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    if (digits < digits_min || value > last) ok_ = false;
    return value;
  }
  void Literal(char c) {
    if (rest_.starts_with(c)) {
      rest_.remove_prefix(1);
    } else {
      ok_ = false;
    }
  }
  int32_t Nanoseconds() {
    const bool has_fraction = rest_.size() >= 2 && (rest_[0] == '.' || rest_[0] == ',') &&
                              rest_[1] >= '0' && rest_[1] <= '9';
    if (!has_fraction) return 0;
    rest_.remove_prefix(1);
    int32_t value = 0;
    for (int32_t unit = kNanosPerSecond / 10; AtDigit(); unit /= 10) {
      value += unit * (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }
  // Seconds east of UTC.
  int32_t Offset() {
    if (rest_ == "Z") {
      rest_ = {};
      return 0;
    }
    const bool west = rest_.starts_with('-');
    if (!west && !rest_.starts_with('+')) ok_ = false;
    if (!rest_.empty()) rest_.remove_prefix(1);
    const int hours = Number(2, 2, 24);
    Literal(':');
    const int minutes = Number(2, 2, 60);
    const int32_t seconds = (hours * 60 + minutes) * 60;
    return west ? -seconds : seconds;
  }
  bool done() const { return ok_ && rest_.empty(); }

 private:
  bool AtDigit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }

  std::string_view rest_;
  bool ok_ = true;
};

// The calendar at an offset from UTC.
struct LocalTime {
  std::chrono::year_month_day date;
  sys_days day;
  int64_t second = 0;  // of the day

  LocalTime(const Timestamp& timestamp, int64_t offset_seconds) {
    const sys_seconds local(std::chrono::seconds(timestamp.seconds + offset_seconds));
    day = std::chrono::floor<std::chrono::days>(local);
    date = std::chrono::year_month_day(day);
    second = (local - day).count();
  }
};

enum class Part : uint8_t {
  kYear,
  kMonth,
  kDayOfYear,
  kDate,
  kDayOfMonth,
  kDayOfWeek,
  kHours,
  kMinutes,
  kSeconds,
  kMilliseconds,
};

int64_t PartOf(const Timestamp& timestamp, Part part, int64_t offset_seconds) {
  const LocalTime local(timestamp, offset_seconds);
  switch (part) {
    case Part::kYear: return int{local.date.year()};
    case Part::kMonth: return int64_t{unsigned{local.date.month()}} - 1;
    case Part::kDayOfYear: return (local.day - sys_days(local.date.year() / 1 / 1)).count();
    case Part::kDate: return int64_t{unsigned{local.date.day()}};
    case Part::kDayOfMonth: return int64_t{unsigned{local.date.day()}} - 1;
    case Part::kDayOfWeek: return std::chrono::weekday(local.day).c_encoding();
    case Part::kHours: return local.second / 3600;
    case Part::kMinutes: return local.second / 60 % 60;
    case Part::kSeconds: return local.second % 60;
    case Part::kMilliseconds: return timestamp.nanoseconds / 1'000'000;
  }
  return 0;
}

// Seconds east of UTC of "+HH:MM", which is read loosely: any whole numbers will do.
Result<int64_t> OffsetByText(std::string_view text, size_t colon) {
  DRAY_TRY(const int64_t hours, Atoi(text.substr(0, colon)));
  DRAY_TRY(const int64_t minutes, Atoi(text.substr(colon + 1)));
  // Numbers that do not fit wrap around, as upstream's do.
  const uint64_t hour_minutes = static_cast<uint64_t>(hours) * 60;
  const auto part = static_cast<uint64_t>(minutes);
  const uint64_t offset = text.starts_with('-') ? hour_minutes - part : hour_minutes + part;
  const auto nanoseconds = static_cast<int64_t>(offset * 60 * kNanosPerSecond);
  return nanoseconds / kNanosPerSecond;
}

Result<int64_t> OffsetIn(std::string_view zone_name,
                         const Timestamp& timestamp,
                         const TimeZones* zones) {
  const size_t colon = zone_name.find(':');
  if (colon != std::string_view::npos) return OffsetByText(zone_name, colon);
  DRAY_TRY(const Frozen<TimeZone> zone, FindTimeZone(zones, zone_name));
  return zone == nullptr ? 0 : zone->OffsetAt(timestamp.seconds);
}

// The whole duration in hours, minutes or seconds: the quotient of doubles, as upstream takes it,
// which may round up for long ones.
int64_t WholeUnits(int64_t nanoseconds, int64_t unit) {
  const int64_t whole = nanoseconds / unit;
  return static_cast<int64_t>(static_cast<double>(whole) +
                              static_cast<double>(nanoseconds % unit) / static_cast<double>(unit));
}

Value DurationPart(int64_t nanoseconds, Part part) {
  if (part == Part::kHours) return Value::Int(WholeUnits(nanoseconds, 3600 * kNanosPerSecond));
  if (part == Part::kMinutes) return Value::Int(WholeUnits(nanoseconds, 60 * kNanosPerSecond));
  if (part == Part::kSeconds) return Value::Int(WholeUnits(nanoseconds, kNanosPerSecond));
  return Value::Int(nanoseconds / 1'000'000);
}

// Looking a zone up; the first time its file is read.
constexpr uint64_t kWorkOfZone = 2'000;

template <Part part>
Value Get(Arena& arena, Arguments arguments, const TimeZones* zones) {
  if (arguments[0].is(ValueKind::kDuration)) {
    return DurationPart(arguments[0].nanoseconds(), part);
  }
  const Timestamp& timestamp = arguments[0].timestamp();
  if (arguments.size() == 1) return Value::Int(PartOf(timestamp, part, 0));
  arena.work().Charge(kWorkOfZone);
  const auto offset = OffsetIn(arguments[1].text(), timestamp, zones);
  if (!offset.has_value()) return MakeError(arena, offset.error().message);
  return Value::Int(PartOf(timestamp, part, *offset));
}

Value AddDuration(Arena& arena, const Timestamp& timestamp, int64_t nanoseconds) {
  Timestamp sum = timestamp;
  sum.seconds += nanoseconds / kNanosPerSecond;
  int64_t nanos = timestamp.nanoseconds + nanoseconds % kNanosPerSecond;
  if (nanos < 0) {
    nanos += kNanosPerSecond;
    --sum.seconds;
  } else if (nanos >= kNanosPerSecond) {
    nanos -= kNanosPerSecond;
    ++sum.seconds;
  }
  sum.nanoseconds = static_cast<int32_t>(nanos);
  return IsInRange(sum.seconds) ? Value::Timestamp(arena.Keep(sum)) : TimestampOverflow();
}

Value Difference(const Timestamp& a, const Timestamp& b) {
  int64_t out = 0;
  if (__builtin_mul_overflow(a.seconds - b.seconds, kNanosPerSecond, &out) ||
      __builtin_add_overflow(out, int64_t{a.nanoseconds} - b.nanoseconds, &out)) {
    return IntegerOverflow();
  }
  return Value::Duration(out);
}

Value CannotConvert(Arena& arena, const Value& value, std::string_view to) {
  return MakeError(arena,
                   fmt::format("type conversion error from '{}' to '{}'", TypeName(value), to));
}

template <Part part>
constexpr Builtin Getter(std::string_view name) {
  return {.name = name, .call = nullptr, .zoned_call = Get<part>};
}

constexpr std::array kTimesBuiltins = {
    Getter<Part::kDate>("getDate"),
    Getter<Part::kDayOfMonth>("getDayOfMonth"),
    Getter<Part::kDayOfWeek>("getDayOfWeek"),
    Getter<Part::kDayOfYear>("getDayOfYear"),
    Getter<Part::kYear>("getFullYear"),
    Getter<Part::kHours>("getHours"),
    Getter<Part::kMilliseconds>("getMilliseconds"),
    Getter<Part::kMinutes>("getMinutes"),
    Getter<Part::kMonth>("getMonth"),
    Getter<Part::kSeconds>("getSeconds"),
};

}  // namespace

std::optional<Timestamp> ReadTimestamp(std::string_view text) {
  TextReader reader(text);
  const int year = reader.Number(4, 4, 9999);
  reader.Literal('-');
  const int month = reader.Number(2, 2, 12);
  reader.Literal('-');
  const int day = reader.Number(2, 2, 31);
  reader.Literal('T');
  const int hour = reader.Number(1, 2, 23);
  reader.Literal(':');
  const int minute = reader.Number(2, 2, 59);
  reader.Literal(':');
  const int second = reader.Number(2, 2, 59);
  Timestamp out;
  out.nanoseconds = reader.Nanoseconds();
  out.offset_seconds = reader.Offset();
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!reader.done() || !date.ok()) return std::nullopt;
  out.seconds = sys_seconds(sys_days(date)).time_since_epoch().count() +
                (int64_t{hour} * 60 + minute) * 60 + second - out.offset_seconds;
  return out;
}

std::string TimestampText(const Timestamp& timestamp) {
  const LocalTime local(timestamp, timestamp.offset_seconds);
  std::string out = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
                                int{local.date.year()},
                                unsigned{local.date.month()},
                                unsigned{local.date.day()},
                                local.second / 3600,
                                local.second / 60 % 60,
                                local.second % 60);
  if (timestamp.nanoseconds != 0) {
    std::string fraction = fmt::format(".{:09}", timestamp.nanoseconds);
    while (fraction.ends_with('0')) fraction.pop_back();
    out += fraction;
  }
  if (timestamp.offset_seconds == 0) return out + 'Z';
  const int32_t minutes = std::abs(timestamp.offset_seconds) / 60;
  fmt::format_to(std::back_inserter(out),
                 "{}{:02}:{:02}",
                 timestamp.offset_seconds < 0 ? '-' : '+',
                 minutes / 60,
                 minutes % 60);
  return out;
}

std::string DurationText(int64_t nanoseconds) {
  const int64_t whole = nanoseconds / kNanosPerSecond;
  const double seconds =
      static_cast<double>(whole) + static_cast<double>(nanoseconds % kNanosPerSecond) / 1e9;
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(
      buffer.data(), buffer.data() + buffer.size(), seconds, std::chars_format::fixed);
  return std::string(buffer.data(), end.ptr) + 's';
}

Value ToTimestamp(Arena& arena, const Value& value) {
  if (value.is(ValueKind::kTimestamp)) return value;
  if (value.is(ValueKind::kInt)) {
    if (!IsInRange(value.integer())) return TimestampOverflow();
    return Value::Timestamp(arena.Keep(Timestamp{.seconds = value.integer()}));
  }
  if (!value.is(ValueKind::kString)) return NoSuchOverload();
  const std::optional<Timestamp> read = ReadTimestamp(value.text());
  if (!read.has_value()) return CannotConvert(arena, value, "google.protobuf.Timestamp");
  if (!IsInRange(read->seconds)) return TimestampOverflow();
  return Value::Timestamp(arena.Keep(*read));
}

Value ToDuration(Arena& arena, const Value& value) {
  if (value.is(ValueKind::kDuration)) return value;
  if (value.is(ValueKind::kString)) {
    const auto read = api::Duration::Parse(value.text());
    if (read.has_value()) return Value::Duration(read->nanos());
  }
  // Releases that declare duration(int) do not implement it either.
  return CannotConvert(arena, value, "google.protobuf.Duration");
}

Value AddTime(Arena& arena, const Value& a, const Value& b) {
  const bool first_is_duration = a.is(ValueKind::kDuration);
  if (first_is_duration && b.is(ValueKind::kDuration)) {
    int64_t sum = 0;
    const bool over = __builtin_add_overflow(a.nanoseconds(), b.nanoseconds(), &sum);
    return over ? IntegerOverflow() : Value::Duration(sum);
  }
  if (first_is_duration && b.is(ValueKind::kTimestamp)) {
    return AddDuration(arena, b.timestamp(), a.nanoseconds());
  }
  if (!first_is_duration && b.is(ValueKind::kDuration)) {
    return AddDuration(arena, a.timestamp(), b.nanoseconds());
  }
  return NoSuchOverload();
}

Value SubtractTime(Arena& arena, const Value& a, const Value& b) {
  if (a.is(ValueKind::kTimestamp) && b.is(ValueKind::kTimestamp)) {
    return Difference(a.timestamp(), b.timestamp());
  }
  if (!b.is(ValueKind::kDuration)) return NoSuchOverload();
  int64_t out = 0;
  if (a.is(ValueKind::kDuration)) {
    const bool over = __builtin_sub_overflow(a.nanoseconds(), b.nanoseconds(), &out);
    return over ? IntegerOverflow() : Value::Duration(out);
  }
  if (__builtin_sub_overflow(int64_t{0}, b.nanoseconds(), &out)) return IntegerOverflow();
  return AddDuration(arena, a.timestamp(), out);
}

std::span<const Builtin> TimeBuiltins() {
  return kTimesBuiltins;
}

}  // namespace dray::cel::library
