// SPDX-License-Identifier: Apache-2.0
// Runs manifest vectors: files of manifests as people publish them, and what upstream's API server
// says to the objects in them (../shared/vectors/manifests/README.md).
#pragma once

#include <string>

#include "base/result.h"
#include "base/world.h"
#include "tests/vectors/report.h"

namespace dray::vectors {

/// Judges the files that `folder`/verdicts.json names as `dray validate` does, and compares
/// verdict, release, errors, message, warnings and strict errors of every request, object by object
/// in the order of each file. Texts count as the README of the validation vectors says. Errors:
/// verdicts.json cannot be read or is no list of verdicts.
Result<Report> RunManifestVectors(World& world, const std::string& folder);

}  // namespace dray::vectors
