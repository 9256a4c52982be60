// SPDX-License-Identifier: Apache-2.0
#include "cel/language/time_zone.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

#include "cel/language/time_zone_rule.h"

namespace dray::cel::inline language {
namespace {

Failure Malformed() {
  return Fail(StatusReason::kInvalid, "malformed time zone information");
}

// Reads big-endian numbers and pieces from the front. Once too few bytes are left, it stays failed.
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

}  // namespace

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

// The period before the first transition: the first period if no transition uses it; else the last
// one without summer time before that of the first transition; else the first without.
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

}  // namespace dray::cel::inline language
