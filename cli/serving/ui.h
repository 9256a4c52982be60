// SPDX-License-Identifier: Apache-2.0
// The command that shows the dashboard of any cluster, or of files.
#pragma once

#include "cli/command_line/command.h"

namespace dray::cli::inline serving {

/// Adds `dray ui` to `program`.
void AddUi(Command& program);

}  // namespace dray::cli::inline serving
