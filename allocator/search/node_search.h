// SPDX-License-Identifier: Apache-2.0
// The search on one node: the lexicographically smallest solution, or that there is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "allocator/search/assignment.h"
#include "allocator/search/node_problem.h"
#include "allocator/search/options.h"
#include "dray/budget.h"

namespace dray::allocator::search {

/// kAborted: a constraint refuses one of all devices, where the search got to it.
enum class SearchEnd : uint8_t { kFound, kNothing, kAborted, kOutOfBudget, kCancelled };

struct NodeAnswer {
  SearchEnd end = SearchEnd::kNothing;
  std::vector<Pick> picks = {};       // when found, in the order of requests and slots
  std::vector<size_t> variants = {};  // when found, by request: the one that is satisfied
  int64_t steps = 0;                  // places that the search has visited
  size_t deepest_request = 0;         // how far it came, in PreparedClaims::requests
};

/// `problem` does not need the literal search; it is changed by what is proven about it.
/// Worst case exponential; bounded by `budget`.
NodeAnswer SearchNode(NodeProblem& problem, const SearchOptions& options, const Budget& budget);

}  // namespace dray::allocator::search
