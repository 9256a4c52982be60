// SPDX-License-Identifier: Apache-2.0
#include "custom/formats/duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

#include "api/value/time.h"
#include "base/text/ascii.h"

namespace dray::custom::formats {
namespace {

constexpr std::string_view kMicro = "\xC2\xB5";  // µ

constexpr int64_t kMicrosecond = 1'000;
constexpr int64_t kMillisecond = 1'000 * kMicrosecond;
constexpr int64_t kSecond = 1'000 * kMillisecond;
constexpr int64_t kMinute = 60 * kSecond;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;

struct Unit {
  std::string_view word;  // in small letters
  int64_t nanoseconds;
};
// Words that are units as they are.
constexpr auto kUnits = std::to_array<Unit>({{"ns", 1},
                                             {"us", kMicrosecond},
                                             {"\xC2\xB5s", kMicrosecond},
                                             {"ms", kMillisecond},
                                             {"s", kSecond},
                                             {"m", kMinute},
                                             {"h", kHour},
                                             {"hr", kHour},
                                             {"d", kDay},
                                             {"w", 7 * kDay},
                                             {"wk", 7 * kDay}});
// Words that units begin with.
constexpr auto kUnitStarts = std::to_array<Unit>({{"nano", 1},
                                                  {"micro", kMicrosecond},
                                                  {"milli", kMillisecond},
                                                  {"sec", kSecond},
                                                  {"min", kMinute},
                                                  {"hour", kHour},
                                                  {"day", kDay},
                                                  {"week", 7 * kDay}});

// Nothing if the word is no unit.
std::optional<int64_t> NanosecondsOf(std::string_view word) {
  const std::string lower = LowerAscii(word);
  for (const Unit& unit : kUnits) {
    if (lower == unit.word) return unit.nanoseconds;
  }
  for (const Unit& unit : kUnitStarts) {
    if (lower.starts_with(unit.word)) return unit.nanoseconds;
  }
  return std::nullopt;
}

// Takes the first bytes that `is_taken` accepts.
template <class F>
std::string_view TakeWhile(std::string_view& rest, F is_taken) {
  const auto end = std::ranges::find_if_not(rest, is_taken);
  const std::string_view taken = rest.substr(0, static_cast<size_t>(end - rest.begin()));
  rest.remove_prefix(taken.size());
  return taken;
}

// Takes letters of ASCII and µ.
std::string_view TakeLetters(std::string_view& rest) {
  const std::string_view before = rest;
  do {
    TakeWhile(rest, [](char c) { return LowerAscii(c) >= 'a' && LowerAscii(c) <= 'z'; });
    if (!rest.starts_with(kMicro)) break;
    rest.remove_prefix(kMicro.size());
  } while (true);
  return before.substr(0, before.size() - rest.size());
}

}  // namespace

std::optional<int64_t> ParseDuration(std::string_view text) {
  if (const auto go = api::Duration::Parse(text); go.has_value()) return go->nanos();
  std::optional<int64_t> sum;
  while (!text.empty()) {
    TakeWhile(text, [](char c) { return !IsDigitAscii(c); });
    const std::string_view digits = TakeWhile(text, IsDigitAscii);
    TakeWhile(text, [](char c) {
      return std::string_view(" \t\n\f\r").find(c) != std::string_view::npos;
    });
    const std::string_view unit = TakeLetters(text);
    if (unit.empty()) continue;
    uint64_t count = 0;
    const char* const end = digits.data() + digits.size();
    const bool fits = std::from_chars(digits.data(), end, count).ec == std::errc();
    if (!fits || count > uint64_t{INT64_MAX}) return std::nullopt;
    const std::optional<int64_t> each = NanosecondsOf(unit);
    if (!each.has_value()) continue;
    // In uint64_t, where overflow wraps around.
    const uint64_t more = count * static_cast<uint64_t>(*each);
    sum = static_cast<int64_t>(static_cast<uint64_t>(sum.value_or(0)) + more);
  }
  return sum;
}

}  // namespace dray::custom::formats
