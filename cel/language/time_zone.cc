// SPDX-License-Identifier: Apache-2.0
#include "cel/language/time_zone.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "base/published.h"
#include "base/world.h"

namespace dray::cel::inline language {
namespace {

constexpr int64_t kHour = 3600;
constexpr int64_t kDay = 86'400;

std::unexpected<Error> Malformed() {
  return Fail(StatusReason::kInvalid, "malformed time zone information");
}

// Takes big-endian numbers and pieces from the front; once too little is left, fails for good.
class BigEndian {
 public:
  explicit BigEndian(std::string_view bytes) : rest_(bytes) {}

  std::string_view Take(uint64_t count) {
    if (count > rest_.size()) {
      failed_ = true;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, static_cast<size_t>(count));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  uint64_t Number(size_t width) {
    uint64_t value = 0;
    for (const char c : Take(width)) value = (value << 8) | static_cast<unsigned char>(c);
    return value;
  }
  std::string_view rest() const { return rest_; }
  bool failed() const { return failed_; }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

// How many there are of each kind of record, in the order of the header.
struct Counts {
  uint64_t utc_marks = 0;
  uint64_t standard_marks = 0;
  uint64_t leaps = 0;
  uint64_t transitions = 0;
  uint64_t periods = 0;
  uint64_t letters = 0;
};

Counts ReadCounts(BigEndian& bytes) {
  Counts counts;
  for (uint64_t* const count : {&counts.utc_marks,
                                &counts.standard_marks,
                                &counts.leaps,
                                &counts.transitions,
                                &counts.periods,
                                &counts.letters}) {
    *count = bytes.Number(4);
  }
  return counts;
}

uint64_t BodySize(const Counts& counts, uint64_t time_width) {
  return counts.transitions * (time_width + 1) + counts.periods * 6 + counts.letters +
         counts.leaps * (time_width + 4) + counts.standard_marks + counts.utc_marks;
}

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

Result<TimeZone> TimeZone::FromFile(std::string_view file) {
  constexpr size_t kReserved = 15;
  BigEndian bytes(file);
  if (bytes.Take(4) != "TZif") return Malformed();
  const uint64_t version = bytes.Number(1);
  if (version != 0 && version != '2' && version != '3') return Malformed();
  bytes.Take(kReserved);
  Counts counts = ReadCounts(bytes);
  uint64_t width = 4;
  if (version != 0) {
    // A first body in 32 bits for old readers, then everything again in 64.
    bytes.Take(BodySize(counts, width));
    bytes.Take(4 + 1 + kReserved);
    counts = ReadCounts(bytes);
    width = 8;
  }
  BigEndian times(bytes.Take(counts.transitions * width));
  const std::string_view indexes = bytes.Take(counts.transitions);
  BigEndian periods(bytes.Take(counts.periods * 6));
  bytes.Take(counts.letters + counts.leaps * (width + 4) + counts.standard_marks +
             counts.utc_marks);
  if (bytes.failed() || counts.periods == 0) return Malformed();

  TimeZone zone;
  for (uint64_t i = 0; i < counts.periods; ++i) {
    Period period;
    period.offset = static_cast<int32_t>(static_cast<uint32_t>(periods.Number(4)));
    period.is_summer = periods.Number(1) != 0;
    if (periods.Number(1) >= counts.letters) return Malformed();
    zone.periods_.push_back(period);
  }
  for (const char c : indexes) {
    const uint64_t bits = times.Number(width);
    const auto index = static_cast<uint8_t>(c);
    if (index >= zone.periods_.size()) return Malformed();
    const int64_t at = width == 4 ? int64_t{static_cast<int32_t>(static_cast<uint32_t>(bits))}
                                  : static_cast<int64_t>(bits);
    zone.transitions_.push_back({.at = at, .period = index});
  }
  if (zone.transitions_.empty()) {
    zone.transitions_.push_back({.at = std::numeric_limits<int64_t>::min(), .period = 0});
  }
  const std::string_view rest = bytes.rest();
  if (rest.size() > 2 && rest.front() == '\n' && rest.back() == '\n') {
    zone.rule_ = rest.substr(1, rest.size() - 2);
  }
  return zone;
}

// What held before the first transition: the first period if no transition uses it; else the
// last one without summer time before that of the first transition; else the first without.
const TimeZone::Period& TimeZone::FirstPeriod() const {
  const bool first_is_used =
      std::ranges::any_of(transitions_, [](const Transition& t) { return t.period == 0; });
  if (!first_is_used) return periods_[0];
  if (periods_[transitions_[0].period].is_summer) {
    for (size_t i = transitions_[0].period; i > 0; --i) {
      if (!periods_[i - 1].is_summer) return periods_[i - 1];
    }
  }
  const auto standard = std::ranges::find(periods_, false, &Period::is_summer);
  return standard == periods_.end() ? periods_[0] : *standard;
}

int32_t TimeZone::OffsetAt(int64_t unix_seconds) const {
  const auto after = std::ranges::upper_bound(transitions_, unix_seconds, {}, &Transition::at);
  if (after == transitions_.begin()) return FirstPeriod().offset;
  if (after == transitions_.end() && !rule_.empty()) {
    const std::optional<int32_t> offset = OffsetByRule(rule_, unix_seconds);
    if (offset.has_value()) return *offset;
  }
  return periods_[std::prev(after)->period].offset;
}

namespace {

std::unexpected<Error> NoZone(std::string message) {
  return Fail(StatusReason::kInvalid, std::move(message));
}

// Where Go looks for files.
constexpr std::array<std::string_view, 4> kFolders = {
    "/usr/share/zoneinfo/", "/usr/share/lib/zoneinfo/", "/usr/lib/locale/TZ/", "/etc/zoneinfo/"};

Result<TimeZone> ReadTimeZone(std::string_view name) {
  Disk& disk = RealWorld().disk;
  for (const std::string_view folder : kFolders) {
    const std::string path = std::string(folder) + std::string(name);
    if (disk.IsFolder(path)) return NoZone("is a directory");
    const auto file = disk.Read(path);
    if (file.has_value()) return TimeZone::FromFile(*file);
    for (size_t slash = path.rfind('/'); slash >= folder.size();
         slash = path.rfind('/', slash - 1)) {
      if (disk.Read(path.substr(0, slash)).has_value()) return NoZone("not a directory");
    }
  }
  return NoZone(fmt::format("unknown time zone {}", name));
}

using Zones = std::map<std::string, Frozen<TimeZone>, std::less<>>;

}  // namespace

Result<Frozen<TimeZone>> FindTimeZone(std::string_view name) {
  if (name.empty() || name == "UTC" || name == "Local") return nullptr;
  if (name.contains("..") || name.starts_with('/') || name.starts_with('\\')) {
    return NoZone("time: invalid location name");
  }
  if (name.contains('\0')) return NoZone("invalid argument");
  // The database does not change while a process runs, and names that are no zones are not kept, so
  // what is known is bounded. Of two threads that read a zone at once one may read it again later.
  static Published<Zones> known(std::make_shared<const Zones>());
  const Frozen<Zones> zones = known.Load();
  if (const auto found = zones->find(name); found != zones->end()) return found->second;
  DRAY_TRY(TimeZone zone, ReadTimeZone(name));
  auto more = std::make_shared<Zones>(*zones);
  auto shared = std::make_shared<const TimeZone>(std::move(zone));
  more->emplace(std::string(name), shared);
  known.Store(std::move(more));
  return shared;
}

}  // namespace dray::cel::inline language
