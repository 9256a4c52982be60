// SPDX-License-Identifier: Apache-2.0
// Random clusters and claims from a seed, for every feature of upstream's allocator (v0.37.2).
// Demand is close to supply: about half of the questions have an answer, and most of the others
// fail late, after some devices have been chosen.
#pragma once

#include <cstdint>
#include <optional>

#include "dray/features.h"
#include "tests/judges/family.h"
#include "tests/judges/problem.h"

namespace dray::judges {

struct ProblemOptions {
  /// One of Families(); null: chosen by the seed.
  const Family* family = nullptr;
  /// The implementation that upstream picks for the switches; absent: chosen by the seed.
  std::optional<allocator::Implementation> implementation = {};
  int nodes_max = 3;
  /// The most devices that a node reaches.
  int devices_max = 12;
  int claims_max = 3;
  int requests_max = 4;  // of a claim
  /// The percentage of problems in which a selector fails on some device.
  int cel_errors_percent = 3;
  /// The percentage of problems in which something is invalid: a name, a mode, a count, a slice.
  int mistakes_percent = 4;
};

/// The same seed and options give the same problem on every machine. O(objects).
Problem RandomProblem(uint64_t seed, const ProblemOptions& options = {});

}  // namespace dray::judges
