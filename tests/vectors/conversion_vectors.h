// SPDX-License-Identifier: Apache-2.0
// Runs conversion and defaulting vectors: objects, and their form in each version of a release in
// upstream (tests/data/vectors/conversion/README.md explains the members).
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

/// Converts each object, read by a server of its release, to every version of its kind in that
/// release and back, including unknown fields. Every member must be as measured. Errors: a file
/// cannot be read or is no vector file.
Result<Report> RunConversionVectors(Disk& disk,
                                    const std::vector<std::string>& files,
                                    const ObjectVectorOptions& options);

/// The same for sparse objects and their defaults.
Result<Report> RunDefaultingVectors(Disk& disk,
                                    const std::vector<std::string>& files,
                                    const ObjectVectorOptions& options);

}  // namespace dray::vectors
