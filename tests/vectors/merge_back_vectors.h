// SPDX-License-Identifier: Apache-2.0
// Runs the merge-back property over files of objects: a client that reads an object through one
// version and writes it back changes nothing for clients of another version.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "tests/vectors/report.h"

namespace dray::vectors {

/// The objects in the .json files of `paths` (files and folders, also inside each other): files
/// with one object, or conversion vectors with their inputs. For each object and every pair (V, W)
/// of versions of its generation: stored as its own version submits it, read through W, written
/// back through W; V then shows what it showed before. Each object counts once.
/// Errors: a file cannot be read or is no JSON.
Result<Report> RunMergeBackVectors(Disk& disk, const std::vector<std::string>& paths);

}  // namespace dray::vectors
