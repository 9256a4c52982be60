// SPDX-License-Identifier: Apache-2.0
// Representation: an amount with at most 18 digits (decimal suffix), or that fits comfortably
// (binary suffix), is an int64 mantissa with a power of ten, as in upstream; everything else is a
// signed number of nanos of any size. Results leave the small form only when a 64-bit step
// overflows. That follows upstream step by step because CEL's isInteger() shows which form a value
// has.
#include "api/value/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "api/value/natural.h"
#include "base/text/ascii.h"
#include "base/try.h"

namespace dray::api::inline value {

struct Quantity::Extra {
  Natural nanos;
  bool negative = false;
  std::string text;  // of a small one: the text to print
};

namespace {

constexpr int32_t kNano = -9;
constexpr int32_t kSmallDigits = 18;        // an int64 holds every number of so many digits
constexpr int32_t kSmallBinaryDigits = 15;  // upstream's margin for binary suffixes
constexpr int32_t kExa = 18;
constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();
constexpr int64_t kInt64Min = std::numeric_limits<int64_t>::min();

constexpr std::string_view kFormatWrong =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kNumberWrong = "unable to parse numeric part of quantity";
constexpr std::string_view kSuffixWrong = "unable to parse quantity's suffix";

Failure RefuseQuantity(std::string_view message) {
  return Fail(StatusReason::kBadRequest, std::string(message));
}

constexpr int64_t PowerOf10(int32_t exponent) {
  int64_t result = 1;
  for (; exponent > 0; --exponent) result *= 10;
  return result;
}

constexpr uint64_t Magnitude(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  return value < 0 ? 0 - bits : bits;
}

struct Suffix {
  std::string_view text;
  int32_t exponent;  // of ten, or of two
};
constexpr std::array<Suffix, 10> kDecimalSuffixes = {{{"n", -9},
                                                      {"u", -6},
                                                      {"m", -3},
                                                      {"", 0},
                                                      {"k", 3},
                                                      {"M", 6},
                                                      {"G", 9},
                                                      {"T", 12},
                                                      {"P", 15},
                                                      {"E", 18}}};
constexpr std::array<Suffix, 7> kBinarySuffixes = {
    {{"", 0}, {"Ki", 10}, {"Mi", 20}, {"Gi", 30}, {"Ti", 40}, {"Pi", 50}, {"Ei", 60}}};

// The parts of a text, as views.
struct QuantityParts {
  bool negative = false;
  bool has_digits = false;
  std::string_view whole;     // without leading zeros, "0" when nothing is left
  std::string_view fraction;  // after the dot
  std::string_view suffix;
};

std::string_view TakeDigits(std::string_view& text) {
  size_t count = 0;
  while (count < text.size() && IsDigitAscii(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

Result<QuantityParts> SplitQuantity(std::string_view text) {
  QuantityParts parts;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    parts.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  parts.whole = TakeDigits(text);
  parts.has_digits = !parts.whole.empty();
  parts.whole.remove_prefix(std::min(parts.whole.find_first_not_of('0'), parts.whole.size()));
  if (parts.whole.empty()) parts.whole = "0";
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = TakeDigits(text);
    parts.has_digits = parts.has_digits || !parts.fraction.empty();
  }
  parts.suffix = text;
  text.remove_prefix(std::min(text.find_first_not_of("eEinumkKMGTP"), text.size()));
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  TakeDigits(text);
  if (!text.empty()) return RefuseQuantity(kFormatWrong);
  return parts;
}

struct QuantityUnit {
  QuantityFormat format;
  int32_t exponent;
};

Result<QuantityUnit> ReadSuffix(std::string_view suffix) {
  for (const Suffix& known : kDecimalSuffixes) {
    if (known.text == suffix) return QuantityUnit{QuantityFormat::kDecimalSi, known.exponent};
  }
  for (const Suffix& known : kBinarySuffixes) {
    if (known.text == suffix) return QuantityUnit{QuantityFormat::kBinarySi, known.exponent};
  }
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E'))
    return RefuseQuantity(kSuffixWrong);
  suffix.remove_prefix(suffix[1] == '+' ? 2 : 1);
  int32_t exponent = 0;
  const auto [end, code] = std::from_chars(suffix.data(), suffix.data() + suffix.size(), exponent);
  const bool doubly_signed =
      suffix.starts_with('-') && suffix.size() > 1 && !IsDigitAscii(suffix[1]);
  if (code != std::errc() || end != suffix.data() + suffix.size() || doubly_signed) {
    return RefuseQuantity(kSuffixWrong);
  }
  return QuantityUnit{QuantityFormat::kDecimalExponent, exponent};
}

// The small form of `parts`: mantissa and scale, if upstream would use it.
struct Small {
  int64_t written;   // the digits as they stand
  int64_t mantissa;  // times the binary suffix
  int32_t scale;
};

std::optional<Small> ReadSmall(const QuantityParts& parts, QuantityUnit unit) {
  const auto whole = static_cast<int32_t>(parts.whole.size());
  const auto fraction = static_cast<int32_t>(parts.fraction.size());
  int32_t room = kSmallDigits - whole - fraction;
  // In 64 bits, because the exponent may be the smallest of 32 bits, where upstream's difference
  // wraps around.
  int64_t scale = int64_t{unit.exponent} - fraction;
  int32_t shift = 0;
  if (unit.format == QuantityFormat::kBinarySi) {
    if (fraction > 0) return std::nullopt;
    room = kSmallBinaryDigits - whole - unit.exponent * 3 / 10 - 1;
    shift = unit.exponent;
    scale = 0;
  }
  if (room < 0 || scale < kNano) return std::nullopt;
  int64_t written = 0;
  for (const char c : parts.whole) written = written * 10 + (c - '0');
  for (const char c : parts.fraction) written = written * 10 + (c - '0');
  // Zero needs no scale beyond the suffixes.
  if (written == 0 && scale > kExa) scale = 0;
  return Small{.written = written,
               .mantissa = written * (int64_t{1} << shift),
               .scale = static_cast<int32_t>(scale)};
}

// Whether upstream takes the text for canonical and prints it again. It guesses: "+1" and "1.234"
// pass too.
bool KeepsText(const QuantityParts& parts, QuantityUnit unit, const Small& small) {
  if (unit.format == QuantityFormat::kBinarySi) return (small.written & 7) != 0;
  const bool thousands = small.written != 0 && small.written % 1000 == 0;
  return small.scale % 3 == 0 && !thousands && parts.whole[0] != '0';
}

struct BigValue {
  Natural nanos;
  QuantityFormat format;
};

BigValue ReadBig(const QuantityParts& parts, QuantityUnit unit) {
  std::string digits(parts.whole);
  digits += parts.fraction;
  BigValue result{.nanos = {}, .format = unit.format};
  if (unit.format == QuantityFormat::kBinarySi) {
    result.nanos = Natural::FromDigits(digits);
    result.nanos.ShiftLeft(static_cast<size_t>(unit.exponent));
    result.nanos.MultiplyByPowerOf10(-kNano);
    const bool exact = result.nanos.DivideByPowerOf10(parts.fraction.size());
    if (!exact) result.nanos.Add(Natural(1));
    Natural one(1);
    one.MultiplyByPowerOf10(-kNano);
    Natural cap(static_cast<uint64_t>(kInt64Max));
    cap.MultiplyByPowerOf10(-kNano);
    if (result.nanos > cap) result.nanos = cap;
    if (result.nanos < one && !result.nanos.IsZero()) result.format = QuantityFormat::kDecimalSi;
    return result;
  }
  // `kept` of the digits are whole nanos; any other digit that is not 0 rounds up.
  const int64_t kept = static_cast<int64_t>(parts.whole.size()) + unit.exponent - kNano;
  const auto cut =
      static_cast<size_t>(std::clamp<int64_t>(kept, 0, static_cast<int64_t>(digits.size())));
  result.nanos = Natural::FromDigits(std::string_view(digits).substr(0, cut));
  if (kept > static_cast<int64_t>(cut))
    result.nanos.MultiplyByPowerOf10(static_cast<size_t>(kept) - cut);
  if (digits.find_first_not_of('0', cut) != std::string::npos) result.nanos.Add(Natural(1));
  return result;
}

// digits × 10^exponent with the largest suffix that leaves no fraction.
std::string RenderDecimal(std::string digits, int32_t exponent, QuantityFormat format) {
  while (digits.size() > 1 && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  int32_t written = exponent - ((exponent % 3) + 3) % 3;
  if (format != QuantityFormat::kDecimalExponent) written = std::min(written, kExa);
  digits.append(static_cast<size_t>(exponent - written), '0');
  if (format == QuantityFormat::kDecimalExponent) {
    if (written != 0) digits.append("e").append(std::to_string(written));
    return digits;
  }
  digits += kDecimalSuffixes[static_cast<size_t>((written - kNano) / 3)].text;
  return digits;
}

std::string RenderBinary(Natural value) {
  size_t power = 0;
  for (; power + 1 < kBinarySuffixes.size(); ++power) {
    Natural quotient = value;
    if (quotient.Divide(1024) != 0) break;
    value = std::move(quotient);
  }
  return value.ToDigits().append(kBinarySuffixes[power].text);
}

// How much longer than the text that was read a canonical one can be: nine digits of nanos, a
// carry, zeros up to the next suffix, the suffix.
constexpr size_t kCanonicalGrowthMax = 16;

// Whether the canonical form of `text` could exceed a limit that `text` keeps.
bool MayOutgrow(std::string_view text, QuantityUnit unit) {
  return text.size() + kCanonicalGrowthMax > kQuantityTextMax ||
         int64_t{unit.exponent} + static_cast<int64_t>(text.size()) > kQuantityExponentMax;
}

bool KeepsLimits(std::string_view canonical) {
  if (canonical.size() > kQuantityTextMax) return false;
  const Result<QuantityParts> parts = SplitQuantity(canonical);
  if (!parts) return false;
  const Result<QuantityUnit> unit = ReadSuffix(parts->suffix);
  return unit && unit->exponent <= kQuantityExponentMax;
}

std::optional<int64_t> ScaleUp(int64_t value, int32_t exponent) {
  if (value == 0) return 0;
  if (exponent > kSmallDigits) return std::nullopt;
  int64_t result = 0;
  if (__builtin_mul_overflow(value, PowerOf10(exponent), &result)) return std::nullopt;
  return result;
}

}  // namespace

Quantity Quantity::FromInt(int64_t value, QuantityFormat format) {
  Quantity result;
  result.mantissa_ = value;
  result.format_ = format;
  return result;
}

Quantity Quantity::FromMilli(int64_t value, QuantityFormat format) {
  Quantity result = FromInt(value, format);
  result.scale_ = -3;
  return result;
}

Quantity Quantity::Big(Extra extra, QuantityFormat format) {
  Quantity result;
  result.format_ = format;
  result.is_big_ = true;
  if (extra.nanos.IsZero()) extra.negative = false;
  result.extra_ = std::make_shared<const Extra>(std::move(extra));
  return result;
}

Result<Quantity> Quantity::Parse(std::string_view text) {
  if (text.empty()) return RefuseQuantity(kFormatWrong);
  if (text.size() > kQuantityTextMax) return RefuseQuantity(kNumberWrong);
  DRAY_TRY(const QuantityParts parts, SplitQuantity(text));
  DRAY_TRY(const QuantityUnit unit, ReadSuffix(parts.suffix));
  const std::optional<Small> small = ReadSmall(parts, unit);
  const bool is_zero = small && small->written == 0;
  if (unit.exponent > kQuantityExponentMax && !is_zero) return RefuseQuantity(kNumberWrong);
  Quantity result;
  if (small) {
    result = FromInt(parts.negative ? -small->mantissa : small->mantissa, unit.format);
    result.scale_ = small->scale;
    const bool keeps_text = text == "0" || KeepsText(parts, unit, *small);
    result.has_lost_text_ = !keeps_text;
    if (keeps_text && result.Canonical() != text) {
      result.extra_ = std::make_shared<const Extra>(Extra{.text = std::string(text)});
    }
  } else {
    if (!parts.has_digits) return RefuseQuantity(kNumberWrong);
    BigValue value = ReadBig(parts, unit);
    result = Big({.nanos = std::move(value.nanos), .negative = parts.negative}, value.format);
    result.has_lost_text_ = true;
  }
  if (MayOutgrow(text, unit) && !KeepsLimits(result.ToString()))
    return RefuseQuantity(kNumberWrong);
  return result;
}

Result<Quantity> Quantity::ParseTrimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  return Parse(text);
}

std::string Quantity::ToString() const {
  if (!is_big_ && extra_ != nullptr) return extra_->text;
  return Canonical();
}

std::string Quantity::Canonical() const {
  if (IsZero()) return "0";
  // Upstream divides by 1024 only numbers that can be negated, so not the smallest one.
  if (format_ == QuantityFormat::kBinarySi && !is_big_ && scale_ == 0 && mantissa_ == kInt64Min)
    return std::to_string(mantissa_);
  std::string result = Sign() < 0 ? "-" : "";
  if (format_ == QuantityFormat::kBinarySi) {
    Natural whole = Nanos().nanos;
    if (whole.DivideByPowerOf10(-kNano) && whole >= Natural(1024)) {
      return result.append(RenderBinary(std::move(whole)));
    }
  }
  if (is_big_) return result.append(RenderDecimal(extra_->nanos.ToDigits(), kNano, format_));
  return result.append(RenderDecimal(std::to_string(Magnitude(mantissa_)), scale_, format_));
}

Quantity::Extra Quantity::Nanos() const {
  if (is_big_) return *extra_;
  Extra result{.nanos = Natural(Magnitude(mantissa_)), .negative = mantissa_ < 0};
  result.nanos.MultiplyByPowerOf10(static_cast<size_t>(scale_ - kNano));
  return result;
}

bool Quantity::AddSmall(const Quantity& other) {
  if (other.mantissa_ == 0) return true;
  if (mantissa_ == 0) {
    mantissa_ = other.mantissa_;
    scale_ = other.scale_;
    return true;
  }
  const int32_t scale = std::min(scale_, other.scale_);
  const std::optional<int64_t> mine = ScaleUp(mantissa_, scale_ - scale);
  const std::optional<int64_t> theirs = ScaleUp(other.mantissa_, other.scale_ - scale);
  int64_t sum = 0;
  if (!mine || !theirs || __builtin_add_overflow(*mine, *theirs, &sum)) return false;
  mantissa_ = sum;
  scale_ = scale;
  return true;
}

Quantity& Quantity::operator+=(const Quantity& other) {
  if (IsZero()) format_ = other.format_;
  if (!is_big_) extra_ = nullptr;
  if (!is_big_ && !other.is_big_ && AddSmall(other)) return *this;
  Extra sum = Nanos();
  Extra added = other.Nanos();
  if (sum.negative == added.negative) {
    sum.nanos.Add(added.nanos);
  } else {
    if (sum.nanos < added.nanos) std::swap(sum, added);
    sum.nanos.Subtract(added.nanos);
  }
  return *this = Big(std::move(sum), format_);
}

Quantity& Quantity::operator-=(const Quantity& other) {
  return *this += -other;
}

Quantity& Quantity::operator*=(int64_t factor) {
  if (!is_big_) {
    extra_ = nullptr;
    int64_t product = 0;
    if (!__builtin_mul_overflow(mantissa_, factor, &product)) {
      mantissa_ = product;
      return *this;
    }
  }
  Extra product = Nanos();
  product.nanos.Multiply(Magnitude(factor));
  product.negative = product.negative != (factor < 0);
  return *this = Big(std::move(product), format_);
}

Quantity Quantity::operator-() const {
  if (!is_big_ && mantissa_ != kInt64Min) {
    Quantity result = FromInt(-mantissa_, format_);
    result.scale_ = scale_;
    return result;
  }
  Extra negated = Nanos();
  negated.negative = !negated.negative;
  return Big(std::move(negated), format_);
}

bool Quantity::IsZero() const {
  return is_big_ ? extra_->nanos.IsZero() : mantissa_ == 0;
}

int Quantity::Sign() const {
  if (IsZero()) return 0;
  return (is_big_ ? extra_->negative : mantissa_ < 0) ? -1 : 1;
}

int64_t Quantity::ScaledValue(int32_t scale) const {
  if (!is_big_ && scale_ >= scale) {
    return ScaleUp(mantissa_, scale_ - scale).value_or(mantissa_ < 0 ? kInt64Min : kInt64Max);
  }
  if (!is_big_) {
    const int64_t divisor = PowerOf10(scale - scale_);  // at most 10^9
    const int64_t quotient = mantissa_ / divisor;
    if (mantissa_ % divisor == 0) return quotient;
    return mantissa_ < 0 ? quotient - 1 : quotient + 1;
  }
  Natural value = extra_->nanos;
  if (!value.DivideByPowerOf10(static_cast<size_t>(scale - kNano))) value.Add(Natural(1));
  if (!value.FitsUint64() || value.Low64() > static_cast<uint64_t>(kInt64Max)) {
    return extra_->negative ? kInt64Min : kInt64Max;
  }
  const auto magnitude = static_cast<int64_t>(value.Low64());
  return extra_->negative ? -magnitude : magnitude;
}

int64_t Quantity::WrappedValue() const {
  if (!is_big_) return scale_ < 0 ? Value() : ScaleUp(mantissa_, scale_).value_or(0);
  Natural value = extra_->nanos;
  if (!value.DivideByPowerOf10(static_cast<size_t>(-kNano))) value.Add(Natural(1));
  const uint64_t low = value.Low64();
  return static_cast<int64_t>(extra_->negative ? 0 - low : low);
}

std::optional<int64_t> Quantity::AsInt64() const {
  if (is_big_ || scale_ < 0) return std::nullopt;
  return ScaleUp(mantissa_, scale_);
}

double Quantity::AsApproximateDouble() const {
  const int32_t exponent = is_big_ ? kNano : scale_;
  auto base = static_cast<double>(mantissa_);
  if (is_big_) base = extra_->negative ? -extra_->nanos.ToDouble() : extra_->nanos.ToDouble();
  return exponent == 0 ? base : base * std::pow(10.0, exponent);
}

std::weak_ordering operator<=>(const Quantity& a, const Quantity& b) {
  if (!a.is_big_ && !b.is_big_) {
    if (a.scale_ == b.scale_) return a.mantissa_ <=> b.mantissa_;
    const int32_t scale = std::min(a.scale_, b.scale_);
    if (a.scale_ - scale <= kSmallDigits && b.scale_ - scale <= kSmallDigits) {
      return __int128{a.mantissa_} * PowerOf10(a.scale_ - scale) <=>
             __int128{b.mantissa_} * PowerOf10(b.scale_ - scale);
    }
  }
  if (a.Sign() != b.Sign()) return a.Sign() <=> b.Sign();
  const std::strong_ordering magnitudes = a.Nanos().nanos <=> b.Nanos().nanos;
  return a.Sign() < 0 ? 0 <=> magnitudes : magnitudes;
}

bool SameRepresentation(const Quantity& a, const Quantity& b) {
  if (a.format_ != b.format_ || a.is_big_ != b.is_big_) return false;
  if (a.is_big_) return a.extra_ == b.extra_;
  return a.mantissa_ == b.mantissa_ && a.scale_ == b.scale_ && SameText(a, b);
}

bool SameText(const Quantity& a, const Quantity& b) {
  const bool plain = a.extra_ == nullptr && b.extra_ == nullptr;
  const bool same =
      a.mantissa_ == b.mantissa_ && a.scale_ == b.scale_ && a.format_ == b.format_ && plain;
  return same || a.ToString() == b.ToString();
}

bool Quantity::ReadsAsPrinted() const {
  if (!has_lost_text_) return true;
  const Result<Quantity> again = Parse(ToString());
  return again.has_value() && again->has_lost_text_ && again->is_big_ == is_big_ &&
         again->format_ == format_ && again->mantissa_ == mantissa_ && again->scale_ == scale_;
}

}  // namespace dray::api::inline value
