// SPDX-License-Identifier: Apache-2.0
// How what one pod asks for may be divided over two.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "planning/explain/variation.h"

namespace dray::planning::inline explain {

/// What each of two pods asks for: neither nothing, together what was asked for.
struct PodSplit {
  WantedClaims first = {}, second = {};
  /// "claim a/gpus in one, claim a/nics in the other".
  std::string text = {};
};

/// Ways to divide the claims, at most so many; those that leave claims whole first, then those that
/// leave requests whole. Requests of a claim that a constraint binds stay together; of a request
/// that none binds the two pods may ask for half of the devices each.
std::vector<PodSplit> SplitsOf(const WantedClaims& claims);
inline constexpr size_t kPodSplitsMax = 24;

}  // namespace dray::planning::inline explain
