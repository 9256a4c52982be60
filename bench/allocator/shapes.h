// SPDX-License-Identifier: Apache-2.0
// The measured problems: shapes S1 to S8, the same as the peer generates under these names, and
// problems without a solution.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/judges/problem.h"

namespace dray::bench {

/// The number of nodes by outcome.
struct OutcomeCounts {
  size_t allocated = 0;
  size_t none = 0;
  size_t other = 0;  // errors, and searches that were given up
  bool operator==(const OutcomeCounts&) const = default;
};

/// A pod and its cluster.
struct PlacementProblem {
  judges::Problem problem;
  OutcomeCounts answer;  // expected, over all nodes
  std::string meaning;
};

/// "S1" … "S5", "S6-8" … "S6-20", "S7", "S8".
const std::vector<std::string>& ShapeNames();
/// The shape of that name.
PlacementProblem MakeShape(std::string_view name);

/// A copy in which every device has an attribute and every node a label of its own, so that no two
/// are equal. The answers stay the same.
judges::Problem AllDifferent(const judges::Problem& problem);

/// Problems without a solution, on which a search without proofs does not end in reasonable time.
std::vector<PlacementProblem> InfeasibleWork();

}  // namespace dray::bench
