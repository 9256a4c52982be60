// SPDX-License-Identifier: Apache-2.0
// Sets of attribute values: sorted lists of their numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace dray::allocator::search {

using ValueSet = std::span<const uint32_t>;

/// Whether some value is in both.
inline bool Meet(ValueSet a, ValueSet b) {
  return std::ranges::any_of(a,
                             [&](uint32_t value) { return std::ranges::binary_search(b, value); });
}

inline std::vector<uint32_t> Intersection(ValueSet a, ValueSet b) {
  std::vector<uint32_t> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return common;
}

}  // namespace dray::allocator::search
