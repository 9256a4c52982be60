// SPDX-License-Identifier: Apache-2.0
// Ranges of costs and of sizes, with sums and products that stop at the largest number.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace dray::cel::cost {

inline constexpr uint64_t kUnbounded = UINT64_MAX;

constexpr uint64_t SaturatingSum(uint64_t a, uint64_t b) {
  return a > kUnbounded - b ? kUnbounded : a + b;
}

constexpr uint64_t SaturatingProduct(uint64_t a, uint64_t b) {
  return b != 0 && a > kUnbounded / b ? kUnbounded : a * b;
}

/// `number` times `factor` >= 0, rounded up. Computed in double as upstream does: beyond 2^53 the
/// last digits are those of the nearest double.
inline uint64_t ScaledUp(uint64_t number, double factor) {
  constexpr double kTwoTo64 = 0x1p64;
  const double product = std::ceil(static_cast<double>(number) * factor);
  return product >= kTwoTo64 ? kUnbounded : static_cast<uint64_t>(product);
}

/// Both ends included.
template <class Unit>
struct Range {
  uint64_t min = 0;
  uint64_t max = 0;

  static constexpr Range Exactly(uint64_t number) { return {number, number}; }
  static constexpr Range Unknown() { return {0, kUnbounded}; }

  constexpr Range operator+(Range other) const {
    return {SaturatingSum(min, other.min), SaturatingSum(max, other.max)};
  }
  constexpr Range operator*(Range other) const {
    return {SaturatingProduct(min, other.min), SaturatingProduct(max, other.max)};
  }
  constexpr bool operator==(const Range&) const = default;
};

/// In the units of CEL: about 50 ns each.
using CostRange = Range<struct CostUnit>;
/// What size() gives: code points, bytes, elements, entries; 1 for scalars.
using SizeRange = Range<struct SizeUnit>;

/// The smallest range that holds both.
template <class Unit>
constexpr Range<Unit> Join(Range<Unit> a, Range<Unit> b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

/// The cost of `cost_per_unit` for each unit of size.
inline CostRange Scan(SizeRange size, double cost_per_unit) {
  return {ScaledUp(size.min, cost_per_unit), ScaledUp(size.max, cost_per_unit)};
}

inline CostRange Scaled(CostRange cost, double factor) {
  return {ScaledUp(cost.min, factor), ScaledUp(cost.max, factor)};
}

/// The cost of something that costs `each`, done once per unit of size.
constexpr CostRange Times(SizeRange size, CostRange each) {
  return CostRange{size.min, size.max} * each;
}

}  // namespace dray::cel::cost
