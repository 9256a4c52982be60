// SPDX-License-Identifier: Apache-2.0
// The work that is measured: shapes S1 to S8, the same that the peer generates under these names,
// and questions whose answer is no.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/judges/problem.h"

namespace dray::bench {

/// How many nodes said what.
struct OutcomeCounts {
  size_t allocated = 0;
  size_t none = 0;
  size_t other = 0;  // errors, searches given up
  bool operator==(const OutcomeCounts&) const = default;
};

/// A pod and the cluster it comes to.
struct PlacementProblem {
  judges::Problem problem;
  OutcomeCounts answer;  // over all nodes
  std::string meaning;
};

/// "S1" … "S5", "S6-8" … "S6-20", "S7", "S8".
const std::vector<std::string>& ShapeNames();
/// One of them.
PlacementProblem MakeShape(std::string_view name);

/// The same with an attribute of its own for every device and a label for every node: nothing is
/// equal to anything else any more. The answers stay.
judges::Problem AllDifferent(const judges::Problem& problem);

/// Questions with the answer no that searches without bounds do not end on.
std::vector<PlacementProblem> InfeasibleWork();

}  // namespace dray::bench
