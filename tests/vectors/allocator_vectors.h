// SPDX-License-Identifier: Apache-2.0
// Runs allocator vectors: problems with the answers of upstream's allocator
// (tests/data/vectors/allocator/README.md describes the comparison).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "tests/vectors/report.h"

namespace dray::vectors {

struct AllocatorOptions {
  /// The label whose answers must be equal; empty: all labels in the files, one after the other.
  std::string profile = {};
  /// Where upstream stopped after two seconds, this stops after as many steps.
  int64_t timeout_steps = 50'000;
};

/// Runs all problems of the files (JSON Lines). The summary has a line per label: how many of its
/// answers are equal, and how many step counters. Errors: a file cannot be read or is not a vector
/// file.
Result<Report> RunAllocatorVectors(Disk& disk,
                                   const std::vector<std::string>& files,
                                   const AllocatorOptions& options);

}  // namespace dray::vectors
