// SPDX-License-Identifier: Apache-2.0
// Admission policies and writes, and what upstream's plug-in said about them: tests/access/peer
// makes such cases.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "tests/vectors/report.h"

namespace dray::access {

/// Judges the writes of all cases of `files`, one after the other.
/// Errors: kBadRequest  a file that is none of cases, or an object in it; what the disk says.
Result<vectors::Report> RunPolicyVectors(Disk& disk, const std::vector<std::string>& files);

}  // namespace dray::access
