// SPDX-License-Identifier: Apache-2.0
// Makes a bad problem small, for people to look at.
#pragma once

#include <functional>

#include "tests/judges/problem.h"

namespace dray::judges {

/// Leaves parts of the problem out, one after the other, as long as `is_bad` says so of the rest:
/// nodes, claims, requests, alternatives, selectors, constraints, slices, devices, what is
/// committed. O(parts²) calls at worst.
Problem Shrink(Problem problem, const std::function<bool(const Problem&)>& is_bad);

}  // namespace dray::judges
