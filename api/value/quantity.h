// SPDX-License-Identifier: Apache-2.0
// Quantity: an amount of a resource, exact to the nano, as k8s.io/apimachinery pkg/api/resource
// defines it ("100m", "1.5Gi", "12e6").
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/frozen.h"
#include "base/result.h"

namespace dray::api::inline value {

/// Longest text that is read as a quantity, or that one may be printed as. Upstream has no limit;
/// no real amount comes near.
inline constexpr size_t kQuantityTextMax = 1024;
/// Largest exponent of the e/E form, as it is read and as it is printed ("100e1000" would be
/// "1e1002"). Upstream goes to 2^31, where comparing two values would need gigabytes. There is no
/// smallest exponent: any positive amount below a nano becomes a nano.
inline constexpr int32_t kQuantityExponentMax = 1000;

/// The spelling of a quantity: 12M, 12Mi or 12e6. It is part of the value.
enum class QuantityFormat : uint8_t { kDecimalSi, kBinarySi, kDecimalExponent };

/// An exact decimal amount with its way of spelling. Values are multiples of 10^-9 of any size.
///
/// As upstream there are two representations, and some functions distinguish them: small (64-bit
/// mantissa and power of ten, no memory) and big. Copying is cheap: the big part is shared and
/// never changes.
class Quantity {
 public:
  /// Zero, spelt "0".
  Quantity() = default;
  static Quantity FromInt(int64_t value, QuantityFormat format = QuantityFormat::kDecimalSi);
  static Quantity FromMilli(int64_t value, QuantityFormat format = QuantityFormat::kDecimalSi);

  /// Reads sign, digits with at most one dot, and a suffix: n u m k M G T P E, Ki … Ei, or e/E with
  /// a signed exponent. Values are rounded away from zero to nanos; amounts with a binary suffix
  /// are capped at 2^63-1. Like upstream's reader, it reads a missing number as zero ("Mi").
  ///
  /// An amount that was read can be printed and read again without change. Quadratic in the size of
  /// the text, which is limited.
  ///
  /// Errors: kBadRequest with upstream's words; also when the text or the canonical form of it is
  /// past kQuantityTextMax or kQuantityExponentMax.
  static Result<Quantity> Parse(std::string_view text);
  /// The same with white space around the text ignored, as in JSON documents.
  static Result<Quantity> ParseTrimmed(std::string_view text);

  /// The text on the wire: the largest suffix that needs no fraction ("1500m", "1536Mi"). Like
  /// upstream, keeps some texts as they were written, as long as nothing is computed ("+1",
  /// "1.234", "1E3"). One defect is not copied: upstream prints 1000E as "1".
  std::string ToString() const;

  /// Exact. A zero receiver takes the other's format (also when that is zero).
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  /// Exact; keeps the format.
  Quantity& operator*=(int64_t factor);
  friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }
  friend Quantity operator*(Quantity a, int64_t factor) { return a *= factor; }
  Quantity operator-() const;

  bool IsZero() const;
  /// -1, 0 or 1.
  int Sign() const;
  /// Rounded away from zero to a whole number; saturates at the ends of int64.
  int64_t Value() const { return ScaledValue(0); }
  /// Upstream's result for a value beyond int64: 0 in the small representation, the low 64 bits in
  /// the big one. Otherwise Value().
  int64_t WrappedValue() const;
  /// The same as Value() in thousandths.
  int64_t MilliValue() const { return ScaledValue(-3); }
  /// The value if it is in the small representation, was not written with a fraction or a suffix
  /// below one, and fits: so nothing for 2000m, 1Ei and 9223372036854775807 (19 digits).
  std::optional<int64_t> AsInt64() const;
  /// Mantissa times power of ten in floating point, with its rounding error in the last digit.
  double AsApproximateDouble() const;
  QuantityFormat format() const { return format_; }
  /// Whether it has the big representation.
  bool is_big() const { return is_big_; }

  /// By value, as upstream compares API objects: 1Gi equals 1024Mi and 1 equals 1000m. Compare
  /// ToString() to compare the spelling too.
  friend bool operator==(const Quantity& a, const Quantity& b) { return (a <=> b) == 0; }
  friend std::weak_ordering operator<=>(const Quantity& a, const Quantity& b);
  /// Whether both are represented alike: same mantissa, power of ten, format and kept text (big
  /// ones: the same copy). Upstream's consumable capacity asks this of a policy's default.
  friend bool SameRepresentation(const Quantity& a, const Quantity& b);
  /// Whether both are printed alike.
  friend bool SameText(const Quantity& a, const Quantity& b);
  /// Whether reading ToString() gives the same representation. Upstream caches a text that it
  /// considers canonical. An amount read from "1024Mi" is printed and cached as 1Gi, so the answer
  /// is false; for a computed amount it is true.
  bool ReadsAsPrinted() const;

 private:
  struct Extra;  // a big value, or a text to keep

  static Quantity Big(Extra extra, QuantityFormat format);
  Extra Nanos() const;
  int64_t ScaledValue(int32_t scale) const;
  bool AddSmall(const Quantity& other);
  std::string Canonical() const;

  int64_t mantissa_ = 0;  // of a small one: value = mantissa × 10^scale
  int32_t scale_ = 0;     // -9 … kQuantityExponentMax
  QuantityFormat format_ = QuantityFormat::kDecimalSi;
  bool is_big_ = false;
  bool has_lost_text_ = false;  // was read from a text that upstream does not cache
  Frozen<Extra> extra_;
};
static_assert(sizeof(Quantity) <= 32);

}  // namespace dray::api::inline value
