// SPDX-License-Identifier: Apache-2.0
// Whether several demands can be met at once from a common supply (Hall's condition, as a maximum
// flow).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "allocator/search/bits.h"
#include "base/work.h"

namespace dray::allocator::search {

/// So many of the elements in `from`, each at most once.
struct Demand {
  int64_t need = 0;
  Words from;
};

/// Limit of the demands; for more, EnoughForAll returns true.
inline constexpr size_t kDemandsMax = 64;

/// False only if no distribution gives every demand what it needs, each element to one demand only;
/// elements in `shared` (empty: none) may serve every demand once. O(elements × demands) plus a
/// small flow.
bool EnoughForAll(std::span<const Demand> demands, WordSpan shared, Work& work);

}  // namespace dray::allocator::search
