// SPDX-License-Identifier: Apache-2.0
// Runs allocator vectors: problems with the answers upstream's allocator gave
// (../shared/vectors/allocator/README.md says how they are judged).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "tests/vectors/report.h"

namespace dray::vectors {

struct AllocatorOptions {
  /// Whose answers ours must equal.
  std::string profile = "v0.37.2/incubating";
};

/// Runs all problems of the files (JSON Lines); those that need a switch that is not built yet are
/// counted, not run. Errors: a file cannot be read or is no vector file.
Result<Report> RunAllocatorVectors(Disk& disk,
                                   const std::vector<std::string>& files,
                                   const AllocatorOptions& options);

}  // namespace dray::vectors
