// SPDX-License-Identifier: Apache-2.0
#include "api/value/natural.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace dray::api::inline value {
namespace {

constexpr size_t kChunkDigits = 9;  // 10^9 is the largest power of ten in a limb
constexpr std::array<uint32_t, kChunkDigits + 1> kPowersOf10 = {
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};

constexpr uint32_t Low(uint64_t value) {
  return static_cast<uint32_t>(value);
}

}  // namespace

Natural::Natural(uint64_t value) : limbs_{Low(value), Low(value >> 32)} {
  Trim();
}

Natural Natural::FromDigits(std::string_view digits) {
  Natural result;
  while (!digits.empty()) {
    const std::string_view chunk = digits.substr(0, kChunkDigits);
    digits.remove_prefix(chunk.size());
    uint32_t value = 0;
    for (const char c : chunk) value = value * 10 + static_cast<uint32_t>(c - '0');
    result.MultiplyAdd(kPowersOf10[chunk.size()], value);
  }
  return result;
}

void Natural::Add(const Natural& other) {
  limbs_.resize(std::max(limbs_.size(), other.limbs_.size()) + 1);
  uint64_t carry = 0;
  for (size_t i = 0; i < limbs_.size(); ++i) {
    carry += limbs_[i];
    if (i < other.limbs_.size()) carry += other.limbs_[i];
    limbs_[i] = Low(carry);
    carry >>= 32;
  }
  Trim();
}

void Natural::Subtract(const Natural& other) {
  DRAY_CHECK(*this >= other);
  uint64_t borrow = 0;
  for (size_t i = 0; i < limbs_.size(); ++i) {
    const uint64_t taken = borrow + (i < other.limbs_.size() ? other.limbs_[i] : 0);
    borrow = limbs_[i] < taken ? 1 : 0;
    limbs_[i] = Low((uint64_t{limbs_[i]} + (borrow << 32)) - taken);
  }
  Trim();
}

void Natural::MultiplyAdd(uint32_t factor, uint32_t addend) {
  uint64_t carry = addend;
  for (uint32_t& limb : limbs_) {
    carry += uint64_t{limb} * factor;
    limb = Low(carry);
    carry >>= 32;
  }
  limbs_.push_back(Low(carry));
  Trim();
}

void Natural::Multiply(uint64_t factor) {
  Natural high = *this;
  high.MultiplyAdd(Low(factor >> 32), 0);
  high.ShiftLeft(32);
  MultiplyAdd(Low(factor), 0);
  Add(high);
}

void Natural::MultiplyByPowerOf10(size_t exponent) {
  for (; exponent > kChunkDigits; exponent -= kChunkDigits) {
    MultiplyAdd(kPowersOf10[kChunkDigits], 0);
  }
  MultiplyAdd(kPowersOf10[exponent], 0);
}

void Natural::ShiftLeft(size_t bits) {
  if (IsZero()) return;
  if (bits % 32 != 0) MultiplyAdd(uint32_t{1} << (bits % 32), 0);
  limbs_.insert(limbs_.begin(), bits / 32, 0);
}

uint32_t Natural::Divide(uint32_t divisor) {
  uint64_t remainder = 0;
  for (size_t i = limbs_.size(); i-- > 0;) {
    const uint64_t part = (remainder << 32) | limbs_[i];
    limbs_[i] = Low(part / divisor);
    remainder = part % divisor;
  }
  Trim();
  return Low(remainder);
}

bool Natural::DivideByPowerOf10(size_t exponent) {
  bool exact = true;
  for (; exponent > kChunkDigits; exponent -= kChunkDigits) {
    exact = Divide(kPowersOf10[kChunkDigits]) == 0 && exact;
  }
  return Divide(kPowersOf10[exponent]) == 0 && exact;
}

uint64_t Natural::Low64() const {
  const uint64_t low = limbs_.empty() ? 0 : limbs_[0];
  const uint64_t high = limbs_.size() < 2 ? 0 : limbs_[1];
  return (high << 32) | low;
}

double Natural::ToDouble() const {
  if (FitsUint64()) return static_cast<double>(Low64());
  // The highest 64 bits decide. All lower bits only count as "not zero", which the lowest of the 64
  // bits can represent because a double keeps 53.
  const size_t count = limbs_.size();
  const auto shift = static_cast<unsigned>(std::countl_zero(limbs_[count - 1]));
  uint64_t top = (uint64_t{limbs_[count - 1]} << 32) | limbs_[count - 2];
  bool more = false;
  if (shift > 0) {
    top = (top << shift) | (limbs_[count - 3] >> (32 - shift));
    more = Low(uint64_t{limbs_[count - 3]} << shift) != 0;
  } else {
    more = limbs_[count - 3] != 0;
  }
  for (size_t i = 0; i + 3 < count && !more; ++i) more = limbs_[i] != 0;
  if (more) top |= 1;
  const size_t exponent = (count - 2) * 32 - shift;
  return std::ldexp(static_cast<double>(top), static_cast<int>(std::min<size_t>(exponent, 4096)));
}

std::string Natural::ToDigits() const {
  if (IsZero()) return "0";
  Natural rest = *this;
  std::string reversed;
  while (!rest.IsZero()) {
    uint32_t chunk = rest.Divide(kPowersOf10[kChunkDigits]);
    for (size_t i = 0; i < kChunkDigits && (chunk != 0 || !rest.IsZero()); ++i) {
      reversed += static_cast<char>('0' + chunk % 10);
      chunk /= 10;
    }
  }
  std::ranges::reverse(reversed);
  return reversed;
}

std::strong_ordering Natural::operator<=>(const Natural& other) const {
  if (limbs_.size() != other.limbs_.size()) return limbs_.size() <=> other.limbs_.size();
  for (size_t i = limbs_.size(); i-- > 0;) {
    if (limbs_[i] != other.limbs_[i]) return limbs_[i] <=> other.limbs_[i];
  }
  return std::strong_ordering::equal;
}

void Natural::Trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
}

}  // namespace dray::api::inline value
