// SPDX-License-Identifier: Apache-2.0
// ASCII digits, and letters compared without case; bytes beyond ASCII are not changed.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace dray::inline text {

constexpr bool IsDigitAscii(char c) {
  return c >= '0' && c <= '9';
}

/// The value of a hexadecimal digit; -1 for any other character.
constexpr int HexValueAscii(char c) {
  if (IsDigitAscii(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr char LowerAscii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

inline std::string LowerAscii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = LowerAscii(c);
  return lower;
}

/// Compares names of header fields (RFC 9110 5.1).
inline bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](char x, char y) { return x == y || LowerAscii(x) == LowerAscii(y); });
}

/// `text` without white space at its ends.
constexpr std::string_view TrimSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace dray::inline text
