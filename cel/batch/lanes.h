// SPDX-License-Identifier: Apache-2.0
// One bit per device.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dray::cel::batch {

inline constexpr size_t kLanesPerWord = 64;

/// A set of lanes: a lane is the number of a device in a table. Bits past the end are zero.
class Lanes {
 public:
  /// No lane of `size`.
  explicit Lanes(size_t size = 0) { Reset(size); }

  /// Empties the set; it has `size` lanes from now on. Keeps its memory.
  void Reset(size_t size) {
    size_ = size;
    words_.assign((size + kLanesPerWord - 1) / kLanesPerWord, 0);
  }
  /// All lanes.
  void Fill() {
    for (uint64_t& word : words_) word = ~uint64_t{0};
    TrimEnd();
  }
  void Add(size_t lane) { words_[lane / kLanesPerWord] |= Bit(lane); }
  bool Has(size_t lane) const { return (words_[lane / kLanesPerWord] & Bit(lane)) != 0; }

  size_t size() const { return size_; }
  size_t Count() const {
    size_t count = 0;
    for (const uint64_t word : words_) count += static_cast<size_t>(std::popcount(word));
    return count;
  }
  /// Calls visit(lane) for each lane of the set, in order.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t word = words_[i]; word != 0; word &= word - 1) {
        visit(i * kLanesPerWord + static_cast<size_t>(std::countr_zero(word)));
      }
    }
  }

  std::span<uint64_t> words() { return words_; }
  std::span<const uint64_t> words() const { return words_; }
  /// Clears the bits past the end, which whole-word writes may have set.
  void TrimEnd() {
    const size_t used = size_ % kLanesPerWord;
    if (used != 0) words_.back() &= (uint64_t{1} << used) - 1;
  }

  bool operator==(const Lanes&) const = default;

 private:
  static constexpr uint64_t Bit(size_t lane) { return uint64_t{1} << (lane % kLanesPerWord); }

  size_t size_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace dray::cel::batch
