// SPDX-License-Identifier: Apache-2.0
#include "cel/library/go_numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "api/text/go_quote.h"
#include "base/text/ascii.h"

namespace dray::cel::library {
namespace {

constexpr bool IsHexDigit(char c) {
  return IsDigitAscii(c) || (LowerAscii(c) >= 'a' && LowerAscii(c) <= 'f');
}

template <class T>
std::optional<T> ParseWhole(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (text.empty() || code != std::errc() || stop != end) return std::nullopt;
  return value;
}

// A number without its sign and underscores, and how far its first digit is from the dot.
struct Scanned {
  std::string text;  // without 0x
  bool hex = false;
  int64_t magnitude = 0;  // about log10, or log2 if hex; only the sign is meaningful when large
};

// Underscores stand between digits only; "0x" counts as a digit.
bool UnderscoresAreGood(std::string_view text, bool hex) {
  char before = '^';
  size_t start = 0;
  if (hex) {
    start = 2;
    before = '0';
  }
  for (const char c : text.substr(start)) {
    const bool digit = IsDigitAscii(c) || (hex && IsHexDigit(c));
    if (c == '_' && before != '0') return false;
    if (before == '_' && !digit) return false;
    before = digit ? '0' : c == '_' ? '_' : '!';
  }
  return before != '_';
}

// Removes digits with at most one dot from the front of `rest`; false if there are no digits or two
// dots.
bool ScanMantissa(std::string_view& rest, Scanned& out) {
  bool has_digits = false;
  bool after_dot = false;
  bool has_value = false;
  int64_t places = 0;
  for (; !rest.empty(); rest.remove_prefix(1)) {
    const char c = rest[0];
    if (c == '_') continue;
    if (c == '.') {
      if (after_dot) return false;
      after_dot = true;
    } else if (IsDigitAscii(c) || (out.hex && IsHexDigit(c))) {
      has_digits = true;
      has_value = has_value || c != '0';
      if (!after_dot && has_value) ++places;
      if (after_dot && !has_value) --places;
    } else {
      break;
    }
    out.text += c;
  }
  out.magnitude = places * (out.hex ? 4 : 1);
  return has_digits;
}

// Reads the exponent that `rest` is, which is not empty; false if it is not one.
bool ScanExponent(std::string_view rest, Scanned& out) {
  if (LowerAscii(rest[0]) != (out.hex ? 'p' : 'e')) return false;
  out.text += out.hex ? 'p' : 'e';
  rest.remove_prefix(1);
  const bool negative = rest.starts_with('-');
  if (negative) out.text += '-';
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.empty() || !IsDigitAscii(rest[0])) return false;
  int64_t exponent = 0;
  for (const char c : rest) {
    if (c == '_') continue;
    if (!IsDigitAscii(c)) return false;
    if (exponent < 10'000) exponent = exponent * 10 + (c - '0');
  }
  out.text += std::to_string(exponent);
  out.magnitude += negative ? -exponent : exponent;
  return true;
}

// The grammar of Go's floating-point literals.
std::optional<Scanned> Scan(std::string_view text) {
  Scanned out;
  out.hex = text.size() > 2 && text[0] == '0' && LowerAscii(text[1]) == 'x';
  if (text.contains('_') && !UnderscoresAreGood(text, out.hex)) return std::nullopt;
  std::string_view rest = text.substr(out.hex ? 2 : 0);
  if (!ScanMantissa(rest, out)) return std::nullopt;
  if (rest.empty()) return out.hex ? std::nullopt : std::optional(out);
  return ScanExponent(rest, out) ? std::optional(out) : std::nullopt;
}

}  // namespace

std::optional<int64_t> ParseInt(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return ParseWhole<int64_t>(text);
}

std::optional<uint64_t> ParseUint(std::string_view text) {
  return ParseWhole<uint64_t>(text);
}

Result<int64_t> Atoi(std::string_view text) {
  if (const std::optional<int64_t> value = ParseInt(text)) return *value;
  std::string_view digits = text;
  if (digits.starts_with('+') || digits.starts_with('-')) digits.remove_prefix(1);
  const bool is_number = !digits.empty() && std::ranges::all_of(digits, IsDigitAscii);
  return Fail(StatusReason::kInvalid,
              fmt::format("strconv.Atoi: parsing {}: {}",
                          api::GoQuote(text),
                          is_number ? "value out of range" : "invalid syntax"));
}

std::optional<double> ParseDouble(std::string_view text) {
  double sign = 1;
  if (text.starts_with('+') || text.starts_with('-')) {
    sign = text.starts_with('-') ? -1 : 1;
    text.remove_prefix(1);
    if (EqualsIgnoringCase(text, "nan")) return std::nullopt;
  }
  if (EqualsIgnoringCase(text, "inf") || EqualsIgnoringCase(text, "infinity")) {
    return sign * std::numeric_limits<double>::infinity();
  }
  if (EqualsIgnoringCase(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  const std::optional<Scanned> scanned = Scan(text);
  if (!scanned.has_value()) return std::nullopt;
  double value = 0;
  const char* const end = scanned->text.data() + scanned->text.size();
  const auto format = scanned->hex ? std::chars_format::hex : std::chars_format::general;
  const auto [stop, code] = std::from_chars(scanned->text.data(), end, value, format);
  if (code == std::errc::result_out_of_range) {
    return scanned->magnitude > 0 ? std::nullopt : std::optional(sign * 0.0);
  }
  if (code != std::errc() || stop != end) return std::nullopt;
  return sign * value;
}

std::string ShortestText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  constexpr int kExponentMin = -4;
  constexpr int kExponentEnd = 6;
  std::array<char, 64> buffer{};
  const auto write = [&](std::chars_format format) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
    return std::string_view(buffer.data(), end);
  };
  const std::string scientific(write(std::chars_format::scientific));
  std::string_view digits = std::string_view(scientific).substr(scientific.find('e') + 1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const int64_t exponent = ParseInt(digits).value_or(0);
  const bool is_far = exponent < kExponentMin || exponent >= kExponentEnd;
  return is_far ? scientific : std::string(write(std::chars_format::fixed));
}

std::string FixedText(double value, int precision) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{:.{}f}", value, precision);
}

}  // namespace dray::cel::library
