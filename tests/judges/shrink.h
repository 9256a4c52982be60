// SPDX-License-Identifier: Apache-2.0
// Shrinks a bad problem, so that people can understand it.
#pragma once

#include <functional>

#include "tests/judges/problem.h"

namespace dray::judges {

/// Leaves parts of the problem out, one after the other, as long as `is_bad` is true for the rest:
/// nodes, claims, requests, alternatives, selectors, constraints, slices, devices, allocations.
/// O(parts²) calls at worst.
Problem Shrink(Problem problem, const std::function<bool(const Problem&)>& is_bad);

}  // namespace dray::judges
