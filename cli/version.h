// SPDX-License-Identifier: Apache-2.0
// Which Dray this is.
#pragma once

#include <string>

namespace dray::cli {

/// "dray 0.1.0 (Kubernetes API 1.37, allocator profile v0.37.2)".
std::string VersionLine();

}  // namespace dray::cli
