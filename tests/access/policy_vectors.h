// SPDX-License-Identifier: Apache-2.0
// Admission policies and writes, with the answers of upstream's plug-in. tests/access/peer makes
// such cases.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/world.h"
#include "tests/vectors/report.h"

namespace dray::access {

/// Evaluates the writes of all cases of `files`, one after the other. Errors: kBadRequest  a file
/// without cases, or an invalid object in it; errors of the disk.
Result<vectors::Report> RunPolicyVectors(Disk& disk, const std::vector<std::string>& files);

}  // namespace dray::access
