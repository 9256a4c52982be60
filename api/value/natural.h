// SPDX-License-Identifier: Apache-2.0
// Natural: a natural number of any size, for the quantities that do not fit in 64 bits. Has only
// the operations that quantities need; callers bound the size.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dray::api::inline value {

/// A natural number. Every operation is linear in its size unless it says otherwise.
class Natural {
 public:
  Natural() = default;
  explicit Natural(uint64_t value);

  /// The number written as `digits` ('0' to '9' only, may be empty: zero). Quadratic.
  static Natural FromDigits(std::string_view digits);

  void Add(const Natural& other);
  /// Subtracts `other`, which must not be larger.
  void Subtract(const Natural& other);
  /// Replaces the value by value × factor + addend.
  void MultiplyAdd(uint32_t factor, uint32_t addend);
  void Multiply(uint64_t factor);
  void MultiplyByPowerOf10(size_t exponent);
  void ShiftLeft(size_t bits);
  /// Replaces the value by the quotient and returns the remainder; `divisor` is not 0.
  uint32_t Divide(uint32_t divisor);
  /// Divides by 10^exponent; returns whether the remainder is zero.
  bool DivideByPowerOf10(size_t exponent);

  bool IsZero() const { return limbs_.empty(); }
  bool FitsUint64() const { return limbs_.size() <= 2; }
  /// The lowest 64 bits.
  uint64_t Low64() const;
  /// The nearest double, ties to even; infinity when too large.
  double ToDouble() const;
  /// Decimal digits without leading zeros; "0" for zero. Quadratic.
  std::string ToDigits() const;

  std::strong_ordering operator<=>(const Natural& other) const;
  bool operator==(const Natural& other) const = default;

 private:
  void Trim();

  std::vector<uint32_t> limbs_;  // the lowest first, without zeros at the end
};

}  // namespace dray::api::inline value
