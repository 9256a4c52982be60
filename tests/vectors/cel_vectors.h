// SPDX-License-Identifier: Apache-2.0
// Runs CEL vectors: expressions with the results of upstream's code of several releases
// (tests/data/vectors/cel/README.md describes the formats and how exact an answer must be).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "tests/vectors/report.h"

namespace dray::vectors {

struct CelOptions {
  /// The only release to run; empty: each release that a case was measured with.
  std::string release = {};
  /// One case alone; empty: all.
  std::string name = {};
};

/// Runs all cases of the files in the role of each release they were measured with. Compares
/// outcome, type, value, error text, estimated and counted cost; of declarations that they are the
/// same. A case counts once per release (and gate, where it says so). The summary has a line per
/// file and release. Errors: a file cannot be read or has no format that is known.
Result<Report> RunCelVectors(Disk& disk,
                             const std::vector<std::string>& files,
                             const CelOptions& options);

}  // namespace dray::vectors
