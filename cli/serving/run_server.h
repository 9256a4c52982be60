// SPDX-License-Identifier: Apache-2.0
// Runs a server in this process, from its options to the signal that stops it.
#pragma once

#include <string_view>

#include "base/world.h"
#include "cli/serving/serve_options.h"
#include "cli/terminal/output.h"

namespace dray::cli::inline serving {

/// Serves until SIGINT or SIGTERM. Prints what it serves, and that it has stopped: on standard
/// output and in the log, or only in a log of JSON lines. Messages begin with `program`. Returns
/// the exit code. Precondition: no thread has started.
int RunServer(World& world,
              const ServeOptions& options,
              const Output& output,
              std::string_view program);

}  // namespace dray::cli::inline serving
