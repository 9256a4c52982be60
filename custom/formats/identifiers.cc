// SPDX-License-Identifier: Apache-2.0
#include "custom/formats/identifiers.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include <re2/re2.h>

#include "base/text/ascii.h"
#include "cel/library/text_forms.h"

namespace dray::custom::formats {
namespace {

bool Matches(std::string_view text, const RE2& form) {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), form);
}

bool IsHexDigit(char c) {
  return HexValueAscii(c) >= 0;
}

int DigitOf(char c) {
  return c - '0';
}

std::string WithoutSpaceAndDashes(std::string_view text) {
  std::string plain(text);
  std::erase_if(plain, [](char c) {
    return std::string_view(" \t\n\f\r-").find(c) != std::string_view::npos;
  });
  return plain;
}

// A digit or letter of a UUID by its place when all dashes are there.
bool IsUuidWith(std::string_view text, char version, std::string_view variants) {
  if (!cel::library::IsUuidText(text)) return false;
  std::string plain(text);
  std::erase(plain, '-');
  return plain[12] == version &&
         (variants.empty() || variants.find(LowerAscii(plain[16])) != std::string_view::npos);
}

}  // namespace

bool IsBsonObjectId(std::string_view text) {
  return text.size() == 24 && std::ranges::all_of(text, IsHexDigit);
}

bool IsIsbn10(std::string_view text) {
  const std::string plain = WithoutSpaceAndDashes(text);
  if (plain.size() != 10 || !std::all_of(plain.begin(), plain.end() - 1, IsDigitAscii))
    return false;
  if (!IsDigitAscii(plain[9]) && plain[9] != 'X') return false;
  int sum = 10 * (plain[9] == 'X' ? 10 : DigitOf(plain[9]));
  for (size_t i = 0; i < 9; ++i) sum += static_cast<int>(i + 1) * DigitOf(plain[i]);
  return sum % 11 == 0;
}

bool IsIsbn13(std::string_view text) {
  const std::string plain = WithoutSpaceAndDashes(text);
  if (plain.size() != 13 || !std::ranges::all_of(plain, IsDigitAscii)) return false;
  int sum = 0;
  for (size_t i = 0; i < 12; ++i) sum += (i % 2 == 0 ? 1 : 3) * DigitOf(plain[i]);
  return DigitOf(plain[12]) == (10 - sum % 10) % 10;
}

bool IsCreditCard(std::string_view text) {
  static const RE2 kForm(
      R"(^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13})"
      R"(|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$)");
  std::string digits(text);
  std::erase_if(digits, [](char c) { return !IsDigitAscii(c); });
  if (!Matches(digits, kForm)) return false;
  int sum = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    const int digit = DigitOf(digits[digits.size() - 1 - i]) * (i % 2 == 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 == 0;
}

bool IsSsn(std::string_view text) {
  static const RE2 kForm(R"(^\d{3}[- ]?\d{2}[- ]?\d{4}$)");
  return text.size() == 11 && Matches(text, kForm);
}

bool IsHexColor(std::string_view text) {
  if (text.starts_with('#')) text.remove_prefix(1);
  return (text.size() == 3 || text.size() == 6) && std::ranges::all_of(text, IsHexDigit);
}

bool IsRgbColor(std::string_view text) {
  static const RE2 kForm(
      R"(^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5]))"
      R"(\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$)");
  return Matches(text, kForm);
}

bool IsUuid3(std::string_view text) {
  return IsUuidWith(text, '3', {});
}
bool IsUuid4(std::string_view text) {
  return IsUuidWith(text, '4', "89ab");
}
bool IsUuid5(std::string_view text) {
  return IsUuidWith(text, '5', "89ab");
}

}  // namespace dray::custom::formats
