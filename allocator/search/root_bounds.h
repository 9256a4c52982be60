// SPDX-License-Identifier: Apache-2.0
// What can be ruled out on a node before anything is tried (S-n: docs/design/allocator.md).
#pragma once

#include <cstddef>
#include <vector>

#include "allocator/search/node_problem.h"
#include "allocator/search/options.h"

namespace dray::allocator::search {

/// Whether each request, taken alone, has as many usable devices as it needs (S-2).
bool EnoughForEach(const NodeProblem& problem);

/// True only if no requests can all be satisfied. Leaves out of Usable what is in no solution:
/// devices whose values too few others share. Tests requests in any order, so it only ever shows
/// that there is nothing (S-10).
bool RefuteAtRoot(NodeProblem& problem, const SearchOptions& options);

}  // namespace dray::allocator::search
