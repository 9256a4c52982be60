// SPDX-License-Identifier: Apache-2.0
#include "cli/version.h"

namespace dray::cli {

std::string VersionLine() {
  return "dray " DRAY_VERSION " (Kubernetes API 1.37, allocator profile v0.37.2)";
}

}  // namespace dray::cli
