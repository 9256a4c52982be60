// SPDX-License-Identifier: Apache-2.0
// Ways to divide the requests of one pod over two.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "planning/explain/variation.h"

namespace dray::planning::inline explain {

/// The requests of each of two pods: neither is empty, and together they are the original ones.
struct PodSplit {
  WantedClaims first = {}, second = {};
  /// "claim a/gpus in one, claim a/nics in the other".
  std::string text = {};
};

/// Ways to divide the claims, up to a limit: first those that leave claims whole, then those that
/// leave requests whole. Requests bound by a constraint stay together; a request without
/// constraints may be divided so that each pod requests half of its devices.
std::vector<PodSplit> SplitsOf(const WantedClaims& claims);
inline constexpr size_t kPodSplitsMax = 24;

}  // namespace dray::planning::inline explain
