// SPDX-License-Identifier: Apache-2.0
// Runs conversion and defaulting vectors: objects, and how upstream shows them in each version of a
// release (tests/data/vectors/conversion/README.md says what the members mean).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "tests/vectors/report.h"

namespace dray::vectors {

struct ObjectVectorOptions {
  /// Only cases of this release; empty: of all.
  std::string release = {};
  /// Only this case; empty: all.
  std::string name = {};
};

/// Each object, read by a server of its release, as every version of its kind in that release
/// shows it, and what becomes of it on the way back; unknown fields too. All must be as measured,
/// member for member. Errors: a file cannot be read or is no vector file.
Result<Report> RunConversionVectors(Disk& disk,
                                    const std::vector<std::string>& files,
                                    const ObjectVectorOptions& options);

/// The same for sparse objects and what their defaults make of them.
Result<Report> RunDefaultingVectors(Disk& disk,
                                    const std::vector<std::string>& files,
                                    const ObjectVectorOptions& options);

}  // namespace dray::vectors
