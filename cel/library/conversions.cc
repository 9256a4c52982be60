// SPDX-License-Identifier: Apache-2.0
// bool, bytes, double, dyn, int, string, type and uint of something.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "cel/library/library.h"
#include "cel/syntax/utf8.h"

namespace dray::cel {
namespace {

using Arguments = std::span<const Value>;

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

Value CannotConvert(Arena& arena, std::string_view to) {
  return MakeError(arena, fmt::format("type conversion error from 'string' to '{}'", to));
}

template <class T>
std::optional<T> ParseWhole(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (text.empty() || code != std::errc() || stop != end) return std::nullopt;
  return value;
}

Value ToInt(Arena& arena, Arguments arguments) {
  const Value& a = arguments[0];
  if (a.is(ValueKind::kInt)) return a;
  if (a.is(ValueKind::kUint)) {
    if (a.unsigned_integer() > uint64_t{INT64_MAX}) return Value::Error("integer overflow");
    return Value::Int(static_cast<int64_t>(a.unsigned_integer()));
  }
  if (a.is(ValueKind::kDouble)) {
    // The smallest int is out of range as well: upstream tests with a strict comparison.
    const bool fits = a.number() > -kTwoTo63 && a.number() < kTwoTo63;
    if (!fits) return Value::Error("integer overflow");
    return Value::Int(static_cast<int64_t>(a.number()));
  }
  if (!a.is(ValueKind::kString)) return NoSuchOverload();
  std::string_view text = a.text();
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto value = ParseWhole<int64_t>(text);
  return value ? Value::Int(*value) : CannotConvert(arena, "int");
}

Value ToUint(Arena& arena, Arguments arguments) {
  const Value& a = arguments[0];
  if (a.is(ValueKind::kUint)) return a;
  if (a.is(ValueKind::kInt)) {
    if (a.integer() < 0) return Value::Error("unsigned integer overflow");
    return Value::Uint(static_cast<uint64_t>(a.integer()));
  }
  if (a.is(ValueKind::kDouble)) {
    const bool fits = a.number() >= 0 && a.number() < kTwoTo64;
    if (!fits) return Value::Error("unsigned integer overflow");
    return Value::Uint(static_cast<uint64_t>(a.number()));
  }
  if (!a.is(ValueKind::kString)) return NoSuchOverload();
  const auto value = ParseWhole<uint64_t>(a.text());
  return value ? Value::Uint(*value) : CannotConvert(arena, "uint");
}

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + ('a' - 'A')) : a) == b;
  });
}

constexpr bool IsDigit(char c, bool hex) {
  return (c >= '0' && c <= '9') || (hex && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
}

// Drops underscores, which may stand between digits only.
std::optional<std::string> WithoutUnderscores(std::string_view text, bool hex) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
    } else if (i + 1 >= text.size() || !IsDigit(text[i + 1], hex) ||
               (i == 0 ? !hex : !IsDigit(text[i - 1], hex))) {
      return std::nullopt;
    }
  }
  return out;
}

// As Go's strconv.ParseFloat.
std::optional<double> ParseDouble(std::string_view text) {
  double sign = 1;
  if (text.starts_with('+') || text.starts_with('-')) {
    sign = text.starts_with('-') ? -1 : 1;
    text.remove_prefix(1);
  }
  if (EqualsIgnoringCase(text, "inf") || EqualsIgnoringCase(text, "infinity")) {
    return sign * std::numeric_limits<double>::infinity();
  }
  if (EqualsIgnoringCase(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) {
    text.remove_prefix(2);
    if (text.find_first_of("pP") == std::string_view::npos) return std::nullopt;
  }
  const std::optional<std::string> digits = WithoutUnderscores(text, hex);
  if (!digits.has_value()) return std::nullopt;
  text = *digits;
  if (text.empty() || text[0] == '-' || text[0] == '+' || text[0] == 'i' || text[0] == 'n') {
    return std::nullopt;
  }
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto format = hex ? std::chars_format::hex : std::chars_format::general;
  const auto [stop, code] = std::from_chars(text.data(), end, value, format);
  if (stop != end || code == std::errc::invalid_argument) return std::nullopt;
  if (code == std::errc::result_out_of_range) {
    const size_t exponent = text.find_first_of(hex ? "pP" : "eE");
    const bool tiny =
        exponent != std::string_view::npos && text.substr(exponent + 1).starts_with('-');
    return tiny ? std::optional(sign * 0.0) : std::nullopt;
  }
  return sign * value;
}

Value ToDouble(Arena& arena, Arguments arguments) {
  const Value& a = arguments[0];
  if (a.is(ValueKind::kDouble)) return a;
  if (a.is(ValueKind::kInt)) return Value::Double(static_cast<double>(a.integer()));
  if (a.is(ValueKind::kUint)) return Value::Double(static_cast<double>(a.unsigned_integer()));
  if (!a.is(ValueKind::kString)) return NoSuchOverload();
  const auto value = ParseDouble(a.text());
  return value ? Value::Double(*value) : CannotConvert(arena, "double");
}

Value ToBool(Arena& arena, Arguments arguments) {
  const Value& a = arguments[0];
  if (a.is(ValueKind::kBool)) return a;
  for (const std::string_view word : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (a.text() == word) return Value::Bool(true);
  }
  for (const std::string_view word : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (a.text() == word) return Value::Bool(false);
  }
  return CannotConvert(arena, "bool");
}

// Shortest digits that give the number back, as Go's %g writes them.
std::string DoubleText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  constexpr int kExponentMin = -4;
  constexpr int kExponentEnd = 6;
  std::array<char, 64> buffer{};
  const auto write = [&](std::chars_format format) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format).ptr;
    return std::string(buffer.data(), end);
  };
  const std::string scientific = write(std::chars_format::scientific);
  int exponent = 0;
  std::string_view digits = std::string_view(scientific).substr(scientific.find('e') + 1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  const bool is_far = exponent < kExponentMin || exponent >= kExponentEnd;
  return is_far ? scientific : write(std::chars_format::fixed);
}

Value ToString(Arena& arena, Arguments arguments) {
  const Value& a = arguments[0];
  if (a.is(ValueKind::kString)) return a;
  if (a.is(ValueKind::kBool)) return Value::String(a.boolean() ? "true" : "false");
  if (a.is(ValueKind::kInt)) return MakeString(arena, fmt::format("{}", a.integer()));
  if (a.is(ValueKind::kUint)) return MakeString(arena, fmt::format("{}", a.unsigned_integer()));
  if (a.is(ValueKind::kDouble)) return MakeString(arena, DoubleText(a.number()));
  if (!a.is(ValueKind::kBytes)) return NoSuchOverload();
  if (!IsValidUtf8(a.text())) {
    return Value::Error("invalid UTF-8 in bytes, cannot convert to string");
  }
  return Value::String(a.text());
}

Value ToBytes(Arena& /*arena*/, Arguments arguments) {
  return Value::Bytes(arguments[0].text());
}

Value ToDyn(Arena& /*arena*/, Arguments arguments) {
  return arguments[0];
}

Value TypeOf(Arena& /*arena*/, Arguments arguments) {
  return Value::Type(TypeName(arguments[0]));
}

constexpr auto kBuiltins = std::to_array<Builtin>({
    {"bool", ToBool},
    {"bytes", ToBytes, CostRule::kText},
    {"double", ToDouble},
    {"dyn", ToDyn},
    {"int", ToInt},
    {"string", ToString, CostRule::kText},
    {"type", TypeOf},
    {"uint", ToUint},
});

}  // namespace

std::span<const Builtin> ConversionBuiltins() {
  return kBuiltins;
}

}  // namespace dray::cel
