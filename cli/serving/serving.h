// SPDX-License-Identifier: Apache-2.0
// The programs that serve the API.
#pragma once

#include "cli/command_line/command.h"

namespace dray::cli::inline serving {

/// Adds `dray serve` to `program`: API server, scheduler, controllers and simulated nodes in one
/// process.
void AddServe(Command& program);

/// Makes `program` the program kube-apiserver, with its options: the API server alone.
void AddKubeApiserver(Command& program);

}  // namespace dray::cli::inline serving
