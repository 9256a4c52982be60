// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/commands.h"

namespace dray::cli {

Command AddVersion(CLI::App& program) {
  CLI::App* const command = program.add_subcommand("version", "print the version");
  command->footer("Example:\n  dray version");
  return {.app = command, .run = [](World&, const Output& output) {
            fmt::print(output.out, "{}\n", VersionLine());
            return kExitYes;
          }};
}

std::string VersionLine() {
  return "dray " DRAY_VERSION " (Kubernetes API 1.37, allocator profile v0.37.2)";
}

}  // namespace dray::cli
