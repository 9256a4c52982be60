// SPDX-License-Identifier: Apache-2.0
#include "api/codec/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text/ascii.h"
#include "base/text/base64.h"

namespace dray::api::inline codec {
namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

struct Word {
  std::string_view text;
  YamlScalar value;
};

const std::array<Word, 33>& Words() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  static const std::array<Word, 33> kWords = {{
      {"y", true},         {"Y", true},         {"yes", true},
      {"Yes", true},       {"YES", true},       {"true", true},
      {"True", true},      {"TRUE", true},      {"on", true},
      {"On", true},        {"ON", true},        {"n", false},
      {"N", false},        {"no", false},       {"No", false},
      {"NO", false},       {"false", false},    {"False", false},
      {"FALSE", false},    {"off", false},      {"Off", false},
      {"OFF", false},      {"~", {}},           {"null", {}},
      {"Null", {}},        {"NULL", {}},        {"", {}},
      {".nan", kNan},      {".NaN", kNan},      {".NAN", kNan},
      {".inf", kInfinity}, {".Inf", kInfinity}, {".INF", kInfinity},
  }};
  return kWords;
}

const YamlScalar* FindWord(std::string_view text) {
  const auto* word = std::ranges::find(Words(), text, &Word::text);
  return word == Words().end() ? nullptr : &word->value;
}

std::optional<double> SignedInfinity(std::string_view text) {
  if (text.size() != 5 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const std::string_view word = text.substr(1);
  if (word != ".inf" && word != ".Inf" && word != ".INF") return std::nullopt;
  const double infinity = std::numeric_limits<double>::infinity();
  return text[0] == '-' ? -infinity : infinity;
}

// Takes a number of `digits_min` to two digits off `text`.
std::optional<int> TakeTwoDigits(std::string_view& text) {
  if (text.empty() || !IsDigitAscii(text[0])) return std::nullopt;
  int value = text[0] - '0';
  text.remove_prefix(1);
  if (!text.empty() && IsDigitAscii(text[0])) {
    value = value * 10 + (text[0] - '0');
    text.remove_prefix(1);
  }
  return value;
}

bool TakeChar(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

bool TakeClock(std::string_view& text) {
  const std::optional<int> hour = TakeTwoDigits(text);
  if (!hour || *hour > 23 || !TakeChar(text, ':')) return false;
  const std::optional<int> minute = TakeTwoDigits(text);
  if (!minute || *minute > 59 || !TakeChar(text, ':')) return false;
  const std::optional<int> second = TakeTwoDigits(text);
  if (!second || *second > 59) return false;
  if (text.size() >= 2 && (text[0] == '.' || text[0] == ',') && IsDigitAscii(text[1])) {
    text.remove_prefix(1);
    while (!text.empty() && IsDigitAscii(text[0])) text.remove_prefix(1);
  }
  return true;
}

bool IsZone(std::string_view text) {
  if (text == "Z") return true;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':') return false;
  for (const size_t i : {1U, 2U, 4U, 5U}) {
    if (!IsDigitAscii(text[i])) return false;
  }
  const int hours = (text[1] - '0') * 10 + (text[2] - '0');
  const int minutes = (text[4] - '0') * 10 + (text[5] - '0');
  return hours <= 24 && minutes <= 60;
}

// A date, or date and time, in one of the forms the library looks for.
bool IsTimestamp(std::string_view text) {
  if (text.size() < 5 || text[4] != '-' || !std::ranges::all_of(text.substr(0, 4), IsDigitAscii))
    return false;
  const int year =
      (text[0] - '0') * 1000 + (text[1] - '0') * 100 + (text[2] - '0') * 10 + (text[3] - '0');
  text.remove_prefix(5);
  const std::optional<int> month = TakeTwoDigits(text);
  if (!month || *month < 1 || *month > 12 || !TakeChar(text, '-')) return false;
  const std::optional<int> day = TakeTwoDigits(text);
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  const int days = kDays[static_cast<size_t>(*month - 1)] + (*month == 2 && leap ? 1 : 0);
  if (!day || *day < 1 || *day > days) return false;
  if (text.empty()) return true;
  if (text[0] == 'T' || text[0] == 't') {
    text.remove_prefix(1);
    return TakeClock(text) && IsZone(text);
  }
  if (text[0] != ' ') return false;
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return TakeClock(text) && text.empty();
}

// [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?
bool IsBase60(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || !IsDigitAscii(text[0])) return false;
  text.remove_prefix(std::min(text.find_first_not_of("0123456789_"), text.size()));
  if (!text.starts_with(':')) return false;
  while (TakeChar(text, ':')) {
    if (text.empty() || !IsDigitAscii(text[0])) return false;
    const bool two = text.size() > 1 && IsDigitAscii(text[1]);
    if (two && text[0] > '5') return false;
    text.remove_prefix(two ? 2 : 1);
  }
  return text.empty() ||
         (text[0] == '.' && text.find_first_not_of("0123456789_", 1) == std::string_view::npos);
}

// The digits of an integer in Go's notation without sign: base by prefix 0b 0o 0x or a leading 0.
std::optional<uint64_t> ReadMagnitude(std::string_view digits, int base) {
  if (base == 0) {
    base = 10;
    if (digits.size() > 1 && digits[0] == '0') {
      const char mark = static_cast<char>(digits[1] | 0x20);
      base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
      digits.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
    }
  }
  uint64_t value = 0;
  const auto [end, code] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (code != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<YamlScalar> ReadInteger(std::string_view text, int base) {
  const bool negative = text.starts_with('-');
  const bool is_signed = negative || text.starts_with('+');
  const std::optional<uint64_t> magnitude = ReadMagnitude(text.substr(is_signed ? 1 : 0), base);
  if (!magnitude) return std::nullopt;
  constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (negative) {
    if (*magnitude > kMax + 1) return std::nullopt;
    return YamlScalar(static_cast<int64_t>(0 - *magnitude));
  }
  if (*magnitude <= kMax) return YamlScalar(static_cast<int64_t>(*magnitude));
  if (is_signed) return std::nullopt;
  return YamlScalar(*magnitude);
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool HasFloatForm(std::string_view text) {
  const auto take_digits = [&text] {
    const size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  const size_t whole = take_digits();
  const size_t fraction = TakeChar(text, '.') ? take_digits() : 0;
  if (whole + fraction == 0) return false;
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return take_digits() > 0 && text.empty();
}

// Too large a number is none; too small a one is 0.
std::optional<double> ReadFloat(const std::string& text) {
  if (!HasFloatForm(text)) return std::nullopt;
  const double value = std::strtod(text.c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return value;
}

// Underscores in numbers that begin with a dot must stand between digits.
bool HasGoodUnderscores(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') continue;
    if (i == 0 || i + 1 == text.size() || !IsDigitAscii(text[i - 1]) || !IsDigitAscii(text[i + 1]))
      return false;
  }
  return true;
}

struct Resolved {
  YamlScalar value;
  std::string_view type;  // short name of the tag: "int"
};

std::optional<YamlScalar> ReadNumber(std::string_view text) {
  std::string plain(text);
  std::erase(plain, '_');
  if (std::optional<YamlScalar> integer = ReadInteger(plain, 0)) return integer;
  if (const std::optional<double> number = ReadFloat(plain)) return YamlScalar(*number);
  if (plain.starts_with("0b")) return ReadInteger(std::string_view(plain).substr(2), 2);
  return std::nullopt;
}

std::string_view TypeOf(const YamlScalar& value) {
  constexpr std::array<std::string_view, 6> kNames = {"null", "bool", "int", "int", "float", "str"};
  return kNames[value.index()];
}

Resolved ResolvePlain(std::string_view text, bool look_for_timestamp) {
  Resolved as_text = {YamlScalar(std::string(text)), "str"};
  const char hint = text.empty() ? '~' : text[0];
  const bool starts_number = IsDigitAscii(hint) || hint == '+' || hint == '-';
  if (!starts_number && !std::string_view("yYnNtTfFoO~.").contains(hint)) return as_text;
  if (const YamlScalar* word = FindWord(text); word != nullptr) return {*word, TypeOf(*word)};
  if (const std::optional<double> infinity = SignedInfinity(text))
    return {YamlScalar(*infinity), "float"};
  if (hint == '.' && HasGoodUnderscores(text)) {
    std::string plain(text);
    std::erase(plain, '_');
    if (const std::optional<double> number = ReadFloat(plain))
      return {YamlScalar(*number), "float"};
  }
  if (!starts_number) return as_text;
  if (look_for_timestamp && IsTimestamp(text)) return {YamlScalar(std::string(text)), "timestamp"};
  if (std::optional<YamlScalar> number = ReadNumber(text)) {
    const std::string_view type = TypeOf(*number);
    return {*std::move(number), type};
  }
  return as_text;
}

std::string ShortTag(std::string_view tag) {
  if (!tag.starts_with(kTagPrefix)) return std::string(tag);
  return "!!" + std::string(tag.substr(kTagPrefix.size()));
}

// Shortest digits and exponent of a finite number: 1.25e+03 is {"125", 3}.
struct Digits {
  bool negative;
  std::string digits;
  int exponent;
};
template <class T>
Digits ShortestDigits(T value) {
  std::array<char, 64> buffer{};
  const auto [end, code] = std::to_chars(
      buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  std::string text(buffer.data(), end);
  const bool negative = text.starts_with('-');
  const size_t e = text.find('e');
  const int exponent = std::atoi(text.c_str() + e + 1);
  text = text.substr(negative ? 1 : 0, e - (negative ? 1 : 0));
  std::erase(text, '.');
  return {negative, text, exponent};
}

std::string WithExponent(const Digits& d) {
  std::string text = d.negative ? "-" : "";
  text += d.digits[0];
  if (d.digits.size() > 1) text.append(".").append(d.digits, 1);
  return text + fmt::format("e{}{:02}", d.exponent < 0 ? '-' : '+', std::abs(d.exponent));
}

// All digits written out, zeros where the shortest form ends.
std::string WithoutExponent(const Digits& d) {
  const std::string sign = d.negative ? "-" : "";
  if (d.exponent < 0) {
    return sign + "0." + std::string(static_cast<size_t>(-d.exponent - 1), '0') + d.digits;
  }
  const auto whole = static_cast<size_t>(d.exponent) + 1;
  if (whole >= d.digits.size()) return sign + d.digits + std::string(whole - d.digits.size(), '0');
  return sign + d.digits.substr(0, whole) + '.' + d.digits.substr(whole);
}

template <class T>
std::string FormatG(T value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  const Digits digits = ShortestDigits(value);
  const bool exponent = digits.exponent < -4 || digits.exponent >= 6;
  return exponent ? WithExponent(digits) : WithoutExponent(digits);
}

}  // namespace

Result<YamlScalar> ResolveYamlScalar(std::string_view tag, std::string_view text) {
  const auto fail = [](std::string message) {
    return Fail(StatusReason::kBadRequest, std::move(message));
  };
  std::string_view wanted = tag;
  if (tag.starts_with(kTagPrefix)) wanted.remove_prefix(kTagPrefix.size());
  if (tag == fmt::format("{}binary", kTagPrefix)) {
    std::optional<std::string> bytes = DecodeBase64(text);
    if (!bytes) return fail("!!binary value contains invalid base64 data");
    return YamlScalar(*std::move(bytes));
  }
  constexpr std::array<std::string_view, 6> kKnown = {
      "str", "bool", "int", "float", "null", "timestamp"};
  const bool known = wanted != tag && std::ranges::find(kKnown, wanted) != kKnown.end();
  if (!tag.empty() && (!known || wanted == "str")) return YamlScalar(std::string(text));
  Resolved resolved = ResolvePlain(text, tag.empty() || wanted == "timestamp");
  if (tag.empty() || resolved.type == wanted) return std::move(resolved.value);
  if (const int64_t* integer = std::get_if<int64_t>(&resolved.value);
      integer != nullptr && wanted == "float") {
    return YamlScalar(static_cast<double>(*integer));
  }
  return fail(fmt::format("cannot decode !!{} `{}` as a {}", resolved.type, text, ShortTag(tag)));
}

bool IsPlainYamlText(std::string_view text) {
  return ResolvePlain(text, true).type == "str" && !IsBase60(text);
}

std::string FormatJsonDouble(double value) {
  const double magnitude = std::abs(value);
  const Digits digits = ShortestDigits(value);
  if (magnitude == 0 || (magnitude >= 1e-6 && magnitude < 1e21)) return WithoutExponent(digits);
  std::string text = WithExponent(digits);
  // e-09 becomes e-9, as encoding/json has it.
  if (const size_t e = text.find("e-0"); e != std::string::npos) text.erase(e + 2, 1);
  return text;
}

std::string FormatGoDouble(double value) {
  return FormatG(value);
}
std::string FormatGoFloat(float value) {
  return FormatG(value);
}

}  // namespace dray::api::inline codec
