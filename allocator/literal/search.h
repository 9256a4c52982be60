// SPDX-License-Identifier: Apache-2.0
// The literal search: depth first, the first solution wins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "allocator/literal/assignment.h"
#include "allocator/literal/selection.h"
#include "allocator/rules/plan.h"
#include "allocator/rules/pools.h"
#include "base/result.h"
#include "dray/budget.h"

namespace dray::allocator::literal {

/// What the search decided, per claim.
struct Decision {
  std::vector<std::vector<rules::Placement>> placements;  // by claim, in the order they were made
  std::vector<std::vector<size_t>> alternatives;  // by claim and request: which variant was taken
};

enum class SearchEnd : uint8_t { kFound, kNothing, kOutOfBudget };

struct SearchResult {
  /// Errors: kInvalid with upstream's text.
  Result<SearchEnd> end = SearchEnd::kNothing;
  Decision decision = {};  // for kFound
  int64_t steps = 0;       // as upstream counts them: calls of the recursive step
};

/// Searches for devices for all plans at once. The plans' constraints are used as scratch space and
/// end as they began.
SearchResult Search(const SearchSpace& space,
                    Selection& selection,
                    std::vector<rules::ClaimPlan>& plans,
                    Budget budget);

}  // namespace dray::allocator::literal
