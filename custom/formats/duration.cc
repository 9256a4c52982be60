// SPDX-License-Identifier: Apache-2.0
#include "custom/formats/duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>

#include "api/value/time.h"
#include "base/ascii.h"

namespace dray::custom::formats {
namespace {

constexpr std::string_view kMicro = "\xC2\xB5";  // µ

// Words that are units as they are, in small letters.
constexpr auto kUnits = std::to_array<std::string_view>(
    {"ns", "us", "\xC2\xB5s", "ms", "s", "m", "h", "hr", "d", "w", "wk"});
// Words that units begin with.
constexpr auto kUnitStarts = std::to_array<std::string_view>(
    {"nano", "micro", "milli", "sec", "min", "hour", "day", "week"});

bool IsUnit(std::string_view word) {
  const std::string lower = LowerAscii(word);
  return std::ranges::find(kUnits, lower) != kUnits.end() ||
         std::ranges::any_of(kUnitStarts,
                             [&](std::string_view start) { return lower.starts_with(start); });
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

bool IsDuration(std::string_view text) {
  if (api::Duration::Parse(text)) return true;
  bool has_unit = false;
  while (!text.empty()) {
    TakeWhile(text, [](char c) { return !IsDigitAscii(c); });
    const std::string_view digits = TakeWhile(text, IsDigitAscii);
    TakeWhile(text, [](char c) {
      return std::string_view(" \t\n\f\r").find(c) != std::string_view::npos;
    });
    const std::string_view unit = TakeLetters(text);
    if (unit.empty()) continue;
    int64_t count = 0;
    const char* const end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, count).ec != std::errc()) return false;
    has_unit = has_unit || IsUnit(unit);
  }
  return has_unit;
}

}  // namespace dray::custom::formats
