// SPDX-License-Identifier: Apache-2.0
// A server in this process, from its options to the signal that ends it.
#pragma once

#include <string_view>

#include "base/world.h"
#include "cli/serving/serve_options.h"
#include "cli/terminal/output.h"

namespace dray::cli::inline serving {

/// Serves until SIGINT or SIGTERM; says what it serves, and that it has stopped: to people on
/// standard output and in the log, or all of it in a log of JSON lines. `program` is what messages
/// begin with. Returns the exit code. Precondition: no thread has started.
int RunServer(World& world,
              const ServeOptions& options,
              const Output& output,
              std::string_view program);

}  // namespace dray::cli::inline serving
