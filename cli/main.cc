// SPDX-License-Identifier: Apache-2.0
// The program dray: its commands, one of which runs. Under the names of programs that it stands
// in for it is those.
#include <cerrno>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/standard_descriptors.h"
#include "base/world.h"
#include "cli/command_text.h"
#include "cli/commands.h"
#include "cli/etcd_stand_in.h"
#include "cli/help.h"
#include "cli/mistakes.h"
#include "cli/output.h"

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

namespace {

struct Words {
  int argc;
  char** argv;
};

/// What all commands have in common; those of `app` take it over when they are added.
void Prepare(CLI::App& app) {
  app.formatter_fn([](const CLI::App* command, const std::string&, CLI::AppFormatMode) {
    return cli::HelpText(cli::Describe(*command));
  });
  app.set_help_flag("-h,--help", "print this help, and end");
  app.set_version_flag("--version", cli::VersionLine(), "print the version, and end");
}

/// Reads the words and runs the command that they name. The exit code.
int RunOneOf(CLI::App& app,
             std::span<const cli::Command> commands,
             Words words,
             const cli::Output& output) {
  try {
    app.parse(words.argc, words.argv);
  } catch (const CLI::Success& asked) {
    app.exit(asked);
    return cli::kExitYes;
  } catch (const CLI::ParseError& error) {
    fmt::print(output.notes, "{}", cli::Refusal(app, error));
    return cli::kExitUsage;
  }
  for (const cli::Command& command : commands) {
    if (command.app->parsed()) return command.run(RealWorld(), output);
  }
  return cli::kExitUsage;
}

int RunDray(Words words, const cli::Output& output) {
  CLI::App app("Dynamic Resource Allocation for Kubernetes: one binary, no cluster needed.",
               "dray");
  Prepare(app);
  app.footer(
      "Examples:\n"
      "  dray help allocate                        # everything about one command\n"
      "  dray allocate -f examples/2-gpu-with-nic  # who gets what, from files\n"
      "  dray serve --nodes example=2              # a server with simulated nodes");
  app.require_subcommand(1);
  const cli::Command commands[] = {cli::AddServe(app),
                                   cli::AddAllocate(app),
                                   cli::AddExplain(app),
                                   cli::AddWhatIf(app),
                                   cli::AddCapacity(app),
                                   cli::AddLint(app),
                                   cli::AddCel(app),
                                   cli::AddConvert(app),
                                   cli::AddValidate(app),
                                   cli::AddStore(app),
                                   cli::AddHelp(app),
                                   cli::AddCompletion(app),
                                   cli::AddVersion(app)};
  if (words.argc > 1 && words.argv[1] == std::string_view("__complete")) {
    return cli::PrintCompletion(RealWorld(),
                                app,
                                std::vector<std::string>(words.argv + 2, words.argv + words.argc),
                                output);
  }
  return RunOneOf(app, commands, words, output);
}

int RunKubeApiserver(Words words, const cli::Output& output) {
  CLI::App app("The API server of dray, by kube-apiserver's flags.", "kube-apiserver");
  Prepare(app);
  const cli::Command command = cli::AddKubeApiserver(app);
  return RunOneOf(app, {&command, 1}, words, output);
}

int RunEtcd(Words words, const cli::Output& output) {
  CLI::App app("Says that it is etcd and well, and keeps nothing.", "etcd");
  Prepare(app);
  const cli::Command command = cli::AddEtcdStandIn(app);
  return RunOneOf(app, {&command, 1}, words, output);
}

/// By the name that the program was called by.
int Run(Words words, const cli::Output& output) {
  const std::string_view path = words.argc > 0 ? words.argv[0] : "";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name == "kube-apiserver") return RunKubeApiserver(words, output);
  if (name == "etcd") return RunEtcd(words, output);
  return RunDray(words, output);
}

}  // namespace

/// An answer that cannot be written (a full disk, a closed output) is none, whatever it says. What
/// prints throws then, nothing of ours does; what is buffered fails at the end.
int main(int argc, char** argv) {
  HoldStandardDescriptors();
  const cli::Output output = cli::StandardOutput();
  std::string why;
  try {
    const int code = Run({.argc = argc, .argv = argv}, output);
    if (std::fflush(output.out) == 0) return code;
    why = std::generic_category().message(errno);
  } catch (const std::system_error& failure) {
    why = failure.code().message();
  }
  (void)std::fputs(("dray: the answer cannot be written: " + why + "\n").c_str(), output.notes);
  return cli::kExitUsage;
}
