// SPDX-License-Identifier: Apache-2.0
// The number of nodes that are compared with each other.
#pragma once

#include <algorithm>
#include <cstddef>

namespace dray::scheduler::inline cycle {

/// The number of fitting nodes to compare: all of up to 100 nodes, and a part that shrinks to 5 %
/// of more. Source: kube-scheduler's percentageOfNodesToScore.
constexpr size_t NodesToCompare(size_t nodes) {
  constexpr size_t kAtLeast = 100;
  if (nodes < kAtLeast) return nodes;
  const size_t percentage = std::max<size_t>(5, 50 - std::min<size_t>(50, nodes / 125));
  return std::max(kAtLeast, nodes * percentage / 100);
}

}  // namespace dray::scheduler::inline cycle
