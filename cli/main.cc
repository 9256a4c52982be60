// SPDX-License-Identifier: Apache-2.0
// The program dray: runs one of its commands. Called by the name of a program that it stands in
// for, it behaves as that program.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/out_of_memory.h"
#include "base/standard_descriptors.h"
#include "base/world.h"
#include "cli/command_line/command.h"
#include "cli/command_line/commands.h"
#include "cli/command_line/help.h"
#include "cli/command_line/mistakes.h"
#include "cli/questions/questions.h"
#include "cli/serving/etcd_stand_in.h"
#include "cli/serving/serving.h"
#include "cli/serving/ui.h"
#include "cli/stores/store.h"
#include "cli/terminal/output.h"

using namespace dray;  // NOLINT(google-build-using-namespace): this file is only glue

namespace {

/// The words after the program's name.
using Words = std::span<const std::string>;

/// Parses the words and runs the command. Returns the exit code.
int RunOneOf(cli::Command& program, Words words, const cli::Output& output) {
  const cli::Asked asked = program.Read(words);
  switch (asked.what) {
    case cli::Asked::What::kAction: return asked.command->Run(RealWorld(), output);
    case cli::Asked::What::kHelp:
      fmt::print(output.out, "{}", cli::HelpText(asked.command->Describe()));
      return cli::kExitYes;
    case cli::Asked::What::kVersion:
      fmt::print(output.out, "{}\n", cli::VersionLine());
      return cli::kExitYes;
    case cli::Asked::What::kMistake: break;
  }
  fmt::print(output.notes, "{}", cli::Refusal(asked));
  return cli::kExitUsage;
}

int RunDray(Words words, const cli::Output& output) {
  cli::Command program(
      "dray", "Dynamic Resource Allocation for Kubernetes: one binary, no cluster needed.");
  program.Notes(
      "Examples:\n"
      "  dray help allocate                        # everything about one command\n"
      "  dray allocate -f examples/2-gpu-with-nic  # who gets what, from files\n"
      "  dray serve --nodes example=2              # a server with simulated nodes");
  cli::AddServe(program);
  cli::AddUi(program);
  cli::AddAllocate(program);
  cli::AddExplain(program);
  cli::AddWhatIf(program);
  cli::AddCapacity(program);
  cli::AddLint(program);
  cli::AddCel(program);
  cli::AddConvert(program);
  cli::AddValidate(program);
  cli::AddStore(program);
  cli::AddHelp(program);
  cli::AddCompletion(program);
  cli::AddVersion(program);
  if (!words.empty() && words.front() == "__complete") {
    return cli::PrintCompletion(RealWorld(), program, words.subspan(1), output);
  }
  return RunOneOf(program, words, output);
}

int RunKubeApiserver(Words words, const cli::Output& output) {
  cli::Command program("kube-apiserver", "The API server of dray, by kube-apiserver's flags.");
  cli::AddKubeApiserver(program);
  return RunOneOf(program, words, output);
}

int RunEtcd(Words words, const cli::Output& output) {
  cli::Command program("etcd", "Says that it is etcd and well, and keeps nothing.");
  cli::AddEtcdStandIn(program);
  return RunOneOf(program, words, output);
}

/// Chooses the program by the name that it was called by.
int RunNamed(std::string_view path, Words words, const cli::Output& output) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name == "kube-apiserver") return RunKubeApiserver(words, output);
  if (name == "etcd") return RunEtcd(words, output);
  return RunDray(words, output);
}

}  // namespace

/// An answer that cannot be written (a full disk, a closed output) is an error, whatever its exit
/// code. Only printing throws, because our own code uses no exceptions; buffered output fails at
/// the end.
int main(int argc, char** argv) {
  EndOutOfMemoryWhenUncaught();
  HoldStandardDescriptors();
  const cli::Output output = cli::StandardOutput();
  std::string why;
  try {
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const int code = RunNamed(argc > 0 ? argv[0] : "", words, output);
    if (std::fflush(output.out) == 0) return code;
    why = std::generic_category().message(errno);
  } catch (const std::system_error& failure) {
    why = failure.code().message();
  }
  (void)std::fputs(("dray: the answer cannot be written: " + why + "\n").c_str(), output.notes);
  return cli::kExitUsage;
}
