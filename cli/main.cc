// SPDX-License-Identifier: Apache-2.0
// The program dray: its commands, one of which runs.
#include <CLI/CLI.hpp>

#include "base/world.h"
#include "cli/commands.h"
#include "cli/output.h"

int main(int argc, char** argv) {
  using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue
  CLI::App app("Dynamic Resource Allocation for Kubernetes: one binary, no cluster needed.",
               "dray");
  app.require_subcommand(1);
  app.set_version_flag("--version", cli::VersionLine());
  const cli::Command commands[] = {cli::AddServe(app),
                                   cli::AddAllocate(app),
                                   cli::AddCel(app),
                                   cli::AddConvert(app),
                                   cli::AddValidate(app),
                                   cli::AddStore(app),
                                   cli::AddVersion(app)};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::kExitYes : cli::kExitUsage;
  }
  for (const cli::Command& command : commands) {
    if (command.app->parsed()) return command.run(RealWorld(), cli::StandardOutput());
  }
  return cli::kExitUsage;
}
