// SPDX-License-Identifier: Apache-2.0
// Choices drawn from a seed, the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "base/simulated_world.h"

namespace dray::judges {

/// Does not use the distributions of <random>, because their results differ between libraries.
class Chance {
 public:
  explicit Chance(uint64_t seed) : random_(seed) {}

  uint64_t Next() { return random_.Next(); }
  /// 0 … bound−1; 0 if the bound is 0.
  size_t Below(size_t bound) { return bound == 0 ? 0 : Next() % bound; }
  /// low … high, both included; low if high is lower.
  int Between(int low, int high) {
    return high <= low ? low : low + static_cast<int>(Below(static_cast<size_t>(high - low) + 1));
  }
  bool Percent(int percent) { return Between(0, 99) < percent; }

  /// One of the items, which must not be empty.
  template <class Items>
  const auto& Pick(const Items& items) {
    return *std::next(std::begin(items), static_cast<std::ptrdiff_t>(Below(std::size(items))));
  }
  /// Every order is equally likely.
  template <class T>
  void Shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[Below(i)]);
  }

 private:
  SeededRandom random_;
};

}  // namespace dray::judges
