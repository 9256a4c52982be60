// SPDX-License-Identifier: Apache-2.0
// The command for the maintenance of stores.
#pragma once

#include "cli/command_line/command.h"

namespace dray::cli::inline stores {

/// Adds `dray store` to `program`: maintenance of the store of dray serve, which may be running or
/// not.
void AddStore(Command& program);

}  // namespace dray::cli::inline stores
