// SPDX-License-Identifier: Apache-2.0
// Whether a list has a value.
#pragma once

#include <algorithm>

namespace dray::custom::definitions {

/// O(length).
template <class List, class Value>
constexpr bool IsIn(const List& list, const Value& value) {
  return std::ranges::find(list, value) != std::ranges::end(list);
}

}  // namespace dray::custom::definitions
