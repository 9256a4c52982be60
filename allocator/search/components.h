// SPDX-License-Identifier: Apache-2.0
// Which requests have nothing to do with each other (S-9 in docs/design/allocator.md).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "allocator/search/node_problem.h"
#include "allocator/search/options.h"
#include "allocator/search/symmetry_classes.h"

namespace dray::allocator::search {

/// All requests, in order.
std::vector<size_t> AllRequests(const PreparedClaims& prepared);

/// Requests in groups, each in order: two are in one group if they may want the same device, are
/// under one constraint, draw from the counters of one pool, or count towards a limit that their
/// claim could pass. Between groups no rule applies, so a solution is one solution of each group.
std::vector<std::vector<size_t>> ComponentsOf(const NodeProblem& problem,
                                              const SymmetryClasses& classes,
                                              const SearchOptions& options);

/// The requests of `order` in groups that rules tie together: constraints, and counters of one
/// pool. Devices both may want do not count.
std::vector<std::vector<size_t>> RuleGroupsOf(const NodeProblem& problem,
                                              const SymmetryClasses& classes,
                                              std::span<const size_t> order);

}  // namespace dray::allocator::search
