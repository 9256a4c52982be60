// SPDX-License-Identifier: Apache-2.0
// The command that looks after stores.
#pragma once

#include "cli/command_line/command.h"

namespace dray::cli::inline stores {

/// Adds `dray store` to `program`: what an operator does with the store of dray serve, running or
/// not.
void AddStore(Command& program);

}  // namespace dray::cli::inline stores
