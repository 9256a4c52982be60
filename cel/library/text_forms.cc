// SPDX-License-Identifier: Apache-2.0
#include "cel/library/text_forms.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>

#include "base/text/ascii.h"
#include "cel/syntax/utf8.h"

namespace dray::cel::library {
namespace {

// `form` has '0' for a digit.
bool HasForm(std::string_view text, std::string_view form) {
  return std::ranges::equal(
      text, form, [](char c, char f) { return f == '0' ? IsDigitAscii(c) : c == f; });
}

bool IsZone(std::string_view text) {
  return text == "z" || HasForm(text, "+00:00") || HasForm(text, "-00:00");
}

// A time in lower case: hh:mm:ss, any one character with digits after it or nothing, a zone.
bool IsTimeOfDay(std::string_view text) {
  constexpr size_t kSecondsEnd = 8;
  if (!HasForm(text.substr(0, kSecondsEnd), "00:00:00")) return false;
  if (text.substr(0, 2) > "23" || text.substr(3, 2) > "59" || text.substr(6, 2) > "59") {
    return false;
  }
  text.remove_prefix(kSecondsEnd);
  if (IsZone(text)) return true;
  if (text.empty() || text[0] == '\n') return false;
  text.remove_prefix(syntax::DecodeUtf8(text, 0).width);
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  return digits > 0 && IsZone(text.substr(digits));
}

}  // namespace

bool IsUuidText(std::string_view text) {
  bool good = true;
  for (const size_t digits : {8u, 4u, 4u, 4u, 12u}) {
    if (digits != 8 && text.starts_with('-')) text.remove_prefix(1);
    const std::string_view group = text.substr(0, digits);
    good = good && group.size() == digits &&
           std::ranges::all_of(group, [](char c) { return HexValueAscii(c) >= 0; });
    text.remove_prefix(group.size());
  }
  return good && text.empty();
}

bool IsBase64Text(std::string_view text) {
  const bool whole = !text.empty() && text.size() % 4 == 0;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  return whole && std::ranges::all_of(text, [](char c) {
           return IsDigitAscii(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
                  c == '/';
         });
}

bool IsDateText(std::string_view text) {
  if (!HasForm(text, "0000-00-00")) return false;
  const auto number = [&](size_t start, size_t size) {
    int value = 0;
    for (const char c : text.substr(start, size)) value = value * 10 + (c - '0');
    return value;
  };
  return std::chrono::year_month_day(std::chrono::year(number(0, 4)),
                                     std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                     std::chrono::day(static_cast<unsigned>(number(8, 2))))
      .ok();
}

bool IsDateTimeText(std::string_view text) {
  const std::string lower = LowerAscii(text);
  const std::string_view rest = lower;
  const size_t t = rest.find('t');
  return t != std::string_view::npos && IsDateText(rest.substr(0, t)) &&
         IsTimeOfDay(rest.substr(t + 1, rest.find('t', t + 1) - t - 1));
}

}  // namespace dray::cel::library
