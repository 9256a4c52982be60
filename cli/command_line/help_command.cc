// SPDX-License-Identifier: Apache-2.0
// dray help and dray completion: the program's descriptions of itself.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/command_line/command_text.h"
#include "cli/command_line/commands.h"
#include "cli/command_line/completion.h"
#include "cli/command_line/help.h"
#include "cli/command_line/man_page.h"
#include "cli/command_line/mistakes.h"
#include "cli/terminal/output.h"

namespace dray::cli::inline command_line {
namespace {

struct HelpOptions {
  std::vector<std::string> words;  // "store", "backup"
  bool is_page = false;
};

int Help(const Command& program, const HelpOptions& options, const Output& output) {
  const Command* command = &program;
  for (const std::string& word : options.words) {
    const Command* const below = command->Below(word);
    if (below == nullptr) return output.Refuse("help", UnknownWord(command->Describe(), word));
    command = below;
  }
  const CommandText text = command->Describe();
  const std::string version = VersionLine();
  fmt::print(
      output.out,
      "{}",
      options.is_page ? ManPage(text, version.substr(0, version.find(" ("))) : HelpText(text));
  return kExitYes;
}

}  // namespace

void AddHelp(Command& program) {
  const auto options = std::make_shared<HelpOptions>();
  Command& command = program.Add("help", "what a command does, and its options");
  command.Texts("COMMAND", options->words, "which one, as in: dray help store backup");
  command.Flag("--man", options->is_page, "as a page for man(1)");
  command.Notes("Example:\n  dray help --man serve | man -l -");
  command.Does([options, &program](World&, const Output& output) {
    return Help(program, *options, output);
  });
}

void AddCompletion(Command& program) {
  const auto shell = std::make_shared<std::string>();
  Command& command = program.Add("completion", "a script that lets a shell complete commands");
  command.Text("SHELL", *shell, "bash, zsh or fish").Required().OneOf({"bash", "zsh", "fish"});
  command.Notes(
      "Examples:\n"
      "  . <(dray completion bash)\n"
      "  dray completion zsh >\"${fpath[1]}/_dray\"\n"
      "  dray completion fish >~/.config/fish/completions/dray.fish");
  command.Does([shell](World&, const Output& output) {
    fmt::print(output.out, "{}", CompletionScript(*shell));
    return kExitYes;
  });
}

int PrintCompletion(World& world,
                    const Command& program,
                    std::span<const std::string> words,
                    const Output& output) {
  const Completion completion = Complete(world.disk, program, words);
  for (const std::string& word : completion.words) cli::Print(output.out, "{}\n", word);
  if (completion.paths == Paths::kFiles) fmt::print(output.out, ":files\n");
  if (completion.paths == Paths::kFolders) fmt::print(output.out, ":folders\n");
  return kExitYes;
}

}  // namespace dray::cli::inline command_line
