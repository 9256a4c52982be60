// SPDX-License-Identifier: Apache-2.0
// Which decisions of a search a dead end is due to.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace dray::allocator::search {

/// A set of levels: decisions are numbered from 0 along the path of the search. Levels from
/// kLevels - 1 on are one: there, every decision counts as part of every conflict that names one.
class ConflictSet {
 public:
  static constexpr size_t kLevels = 512;

  void Add(size_t level) { words_.at(Index(level) / 64) |= Mask(level); }
  /// All levels before `level`.
  void AddAllBefore(size_t level) {
    for (size_t i = 0; i < std::min(level, kLevels); ++i) Add(i);
    if (level > kLevels) Add(level - 1);
  }
  bool Has(size_t level) const { return (words_.at(Index(level) / 64) & Mask(level)) != 0; }
  void Remove(size_t level) {
    if (level < kLevels - 1) words_.at(level / 64) &= ~Mask(level);
  }
  ConflictSet& operator|=(const ConflictSet& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }

 private:
  static size_t Index(size_t level) { return std::min(level, kLevels - 1); }
  static uint64_t Mask(size_t level) { return uint64_t{1} << (Index(level) % 64); }

  std::array<uint64_t, kLevels / 64> words_{};
};

}  // namespace dray::allocator::search
