// SPDX-License-Identifier: Apache-2.0
// Sets of devices of a node, as words of bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dray::allocator::search {

using Words = std::vector<uint64_t>;
using WordSpan = std::span<const uint64_t>;

constexpr uint64_t BitMask(size_t bit) {
  return uint64_t{1} << (bit % 64);
}
inline bool HasBit(WordSpan words, size_t bit) {
  return (words[bit / 64] & BitMask(bit)) != 0;
}
inline void AddBit(std::span<uint64_t> words, size_t bit) {
  words[bit / 64] |= BitMask(bit);
}
inline void DropBit(std::span<uint64_t> words, size_t bit) {
  words[bit / 64] &= ~BitMask(bit);
}
inline size_t CountBits(WordSpan words) {
  size_t count = 0;
  for (const uint64_t word : words) count += static_cast<size_t>(std::popcount(word));
  return count;
}
/// Calls visit(bit) for each bit, in order.
template <class Visit>
void ForEachBit(WordSpan words, Visit visit) {
  for (size_t i = 0; i < words.size(); ++i) {
    for (uint64_t word = words[i]; word != 0; word &= word - 1)
      visit(i * 64 + static_cast<size_t>(std::countr_zero(word)));
  }
}

}  // namespace dray::allocator::search
