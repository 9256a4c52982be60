// SPDX-License-Identifier: Apache-2.0
// Runs validation vectors: requests with the answers of upstream's API server
// (tests/data/vectors/validation/README.md describes the comparison).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "tests/vectors/report.h"

namespace dray::vectors {

struct ApiVectorOptions {
  /// The release whose answers must be equal; empty: for each case, the release it was measured
  /// with.
  std::string release = {};
  /// The kinds to run: "group/version/" or "group/version/Kind"; empty: all.
  std::string kinds = {};
  /// One case alone; empty: all.
  std::string name = {};
};

/// Runs all cases of the files (JSON arrays): decoding, defaults, conversion to the hub, fields
/// that the server sets before validation, metadata rules, the rules of the kind. Compares code,
/// causes, message, warnings, strict errors and the resulting object. Errors: a file cannot be read
/// or is no vector file.
Result<Report> RunValidationVectors(Disk& disk,
                                    const std::vector<std::string>& files,
                                    const ApiVectorOptions& options);

}  // namespace dray::vectors
