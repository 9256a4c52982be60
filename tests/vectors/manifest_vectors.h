// SPDX-License-Identifier: Apache-2.0
// Runs manifest vectors: files of published manifests, and the answers of upstream's API server to
// their objects (../shared/vectors/manifests/README.md).
#pragma once

#include <string>

#include "base/result.h"
#include "base/world.h"
#include "tests/vectors/report.h"

namespace dray::vectors {

/// Validates the files that `folder`/verdicts.json names as `dray validate` does, and compares
/// verdict, release, errors, message, warnings and strict errors of every request, object by object
/// in the order of each file. The README of the validation vectors describes which texts count.
/// Errors: verdicts.json cannot be read or is no list of verdicts.
Result<Report> RunManifestVectors(World& world, const std::string& folder);

}  // namespace dray::vectors
