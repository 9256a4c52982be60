// SPDX-License-Identifier: Apache-2.0
// Runs round-trip vectors: objects in JSON, YAML and protobuf as upstream's types of one release
// write them. ../shared/vectors/api/README.md names their origin.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "tests/vectors/report.h"

namespace dray::vectors {

/// Runs all files of the folders, which are folders of a release (v1.31.0, HEAD) or hold such. A
/// file is GROUP.VERSION.KIND, then perhaps .after_roundtrip, then .json, .yaml or .pb. The three
/// forms must decode to equal objects and encode to the same bytes, in the rules of the release; an
/// object after a round trip is read by the rules of the newest release of its kind.
///
/// Errors: a folder or file cannot be read, or the name of a folder is no release.
Result<Report> RunApiVectors(Disk& disk, const std::vector<std::string>& folders);

}  // namespace dray::vectors
