// SPDX-License-Identifier: Apache-2.0
#include "cel/language/time_zone_rule.h"

#include <algorithm>
#include <chrono>

namespace dray::cel::inline language {
namespace {

constexpr int64_t kHour = 3600;
constexpr int64_t kDay = 86'400;

// A day of the year and a time on it, when summer time begins or ends.
struct ChangeDay {
  enum class Kind : uint8_t { kJulian, kDayOfYear, kWeekday };
  Kind kind = Kind::kDayOfYear;
  int day = 0;
  int week = 0;
  int month = 0;
  int64_t time = 2 * kHour;
};

// Reads the parts of a rule one after the other; each Read… returns false where Go gives up.
class RuleReader {
 public:
  explicit RuleReader(std::string_view rule) : rest_(rule) {}

  bool done() const { return rest_.empty(); }
  bool AtComma() const { return rest_.starts_with(',') || rest_.starts_with(';'); }
  bool Skip(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool SkipName() {
    if (Skip('<')) {
      const size_t end = rest_.find('>');
      if (end == std::string_view::npos) return false;
      rest_.remove_prefix(end + 1);
      return true;
    }
    const size_t end = std::min(rest_.find_first_of("0123456789,-+"), rest_.size());
    rest_.remove_prefix(end);
    return end >= 3;
  }

  bool ReadNumber(int min, int max, int& out) {
    out = 0;
    const size_t before = rest_.size();
    for (; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; rest_.remove_prefix(1)) {
      out = out * 10 + (rest_[0] - '0');
      if (out > max) return false;
    }
    return rest_.size() < before && out >= min;
  }

  bool ReadTime(int64_t& out) {
    const bool negative = Skip('-');
    if (!negative) Skip('+');
    int hours = 0;
    int minutes = 0;
    int seconds = 0;
    if (!ReadNumber(0, 24 * 7, hours)) return false;
    if (Skip(':')) {
      if (!ReadNumber(0, 59, minutes)) return false;
      if (Skip(':') && !ReadNumber(0, 59, seconds)) return false;
    }
    out = hours * kHour + int64_t{minutes} * 60 + seconds;
    if (negative) out = -out;
    return true;
  }

  bool ReadDay(ChangeDay& out) {
    if (Skip('J')) {
      out.kind = ChangeDay::Kind::kJulian;
      if (!ReadNumber(1, 365, out.day)) return false;
    } else if (Skip('M')) {
      out.kind = ChangeDay::Kind::kWeekday;
      if (!ReadNumber(1, 12, out.month) || !Skip('.')) return false;
      if (!ReadNumber(1, 5, out.week) || !Skip('.')) return false;
      if (!ReadNumber(0, 6, out.day)) return false;
    } else if (!ReadNumber(0, 365, out.day)) {
      return false;
    }
    return !Skip('/') || ReadTime(out.time);
  }

 private:
  std::string_view rest_;
};

// Days from the first of January to the day of the change.
int64_t DayOfChange(const ChangeDay& change, std::chrono::year year) {
  using std::chrono::sys_days;
  const sys_days start = sys_days(year / 1 / 1);
  if (change.kind == ChangeDay::Kind::kDayOfYear) return change.day;
  if (change.kind == ChangeDay::Kind::kJulian) {
    constexpr int kMarchFirst = 60;  // 29 February is never counted
    return change.day - 1 + (year.is_leap() && change.day >= kMarchFirst ? 1 : 0);
  }
  const auto month = year / std::chrono::month(static_cast<unsigned>(change.month));
  const std::chrono::weekday weekday(static_cast<unsigned>(change.day));
  // The fifth one is the last one.
  const sys_days day = change.week == 5
                           ? sys_days(month / weekday[std::chrono::last])
                           : sys_days(month / weekday[static_cast<unsigned>(change.week)]);
  return (day - start).count();
}

}  // namespace

std::optional<int32_t> OffsetByRule(std::string_view rule, int64_t unix_seconds) {
  RuleReader reader(rule);
  int64_t standard = 0;
  if (!reader.SkipName() || !reader.ReadTime(standard)) return std::nullopt;
  standard = -standard;  // the rule says what to add to get UTC
  if (reader.done() || reader.AtComma()) return static_cast<int32_t>(standard);
  if (!reader.SkipName()) return std::nullopt;
  int64_t summer = standard + kHour;
  if (!reader.done() && !reader.AtComma()) {
    if (!reader.ReadTime(summer)) return std::nullopt;
    summer = -summer;
  }
  if (reader.done()) reader = RuleReader(",M3.2.0,M11.1.0");
  if (!reader.Skip(',') && !reader.Skip(';')) return std::nullopt;
  ChangeDay begin;
  ChangeDay end;
  if (!reader.ReadDay(begin) || !reader.Skip(',') || !reader.ReadDay(end) || !reader.done()) {
    return std::nullopt;
  }
  using std::chrono::sys_days;
  const sys_days today = std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds(std::chrono::seconds(unix_seconds)));
  const std::chrono::year year = std::chrono::year_month_day(today).year();
  const int64_t year_start = sys_days(year / 1 / 1).time_since_epoch().count() * kDay;
  const int64_t second = unix_seconds - year_start;
  const int64_t summer_begins = DayOfChange(begin, year) * kDay + begin.time - standard;
  const int64_t summer_ends = DayOfChange(end, year) * kDay + end.time - summer;
  const bool is_south = summer_ends < summer_begins;
  const bool is_between = is_south ? second >= summer_ends && second < summer_begins
                                   : second >= summer_begins && second < summer_ends;
  return static_cast<int32_t>(is_between != is_south ? summer : standard);
}

}  // namespace dray::cel::inline language
