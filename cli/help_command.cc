// SPDX-License-Identifier: Apache-2.0
// dray help, dray completion: what the program says of itself.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/command_text.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/man_page.h"
#include "cli/mistakes.h"
#include "cli/output.h"

namespace dray::cli {
namespace {

struct HelpOptions {
  std::vector<std::string> words;  // "store", "backup"
  bool is_page = false;
};

int Help(const CLI::App& program, const HelpOptions& options, const Output& output) {
  const CLI::App* command = &program;
  for (const std::string& word : options.words) {
    const auto named =
        command->get_subcommands([&](const CLI::App* below) { return below->check_name(word); });
    if (named.empty()) return output.Refuse("help", UnknownWord(Describe(*command), word));
    command = named.front();
  }
  const CommandText text = Describe(*command);
  const std::string version = VersionLine();
  fmt::print(
      output.out,
      "{}",
      options.is_page ? ManPage(text, version.substr(0, version.find(" ("))) : HelpText(text));
  return kExitYes;
}

}  // namespace

Command AddHelp(CLI::App& program) {
  const auto options = std::make_shared<HelpOptions>();
  CLI::App* const command = program.add_subcommand("help", "what a command does, and its options");
  command->add_option("COMMAND", options->words, "which one, as in: dray help store backup")
      ->type_name("WORD");
  command->add_flag("--man", options->is_page, "as a page for man(1)");
  command->footer("Example:\n  dray help --man serve | man -l -");
  return {.app = command, .run = [options, &program](World&, const Output& output) {
            return Help(program, *options, output);
          }};
}

Command AddCompletion(CLI::App& program) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* const command =
      program.add_subcommand("completion", "a script that lets a shell complete commands");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n"
      "  . <(dray completion bash)\n"
      "  dray completion zsh >\"${fpath[1]}/_dray\"\n"
      "  dray completion fish >~/.config/fish/completions/dray.fish");
  return {.app = command, .run = [shell](World&, const Output& output) {
            fmt::print(output.out, "{}", CompletionScript(*shell));
            return kExitYes;
          }};
}

int PrintCompletion(World& world,
                    const CLI::App& program,
                    const std::vector<std::string>& words,
                    const Output& output) {
  const Completion completion = Complete(world.disk, program, words);
  for (const std::string& word : completion.words) fmt::print(output.out, "{}\n", word);
  if (completion.paths == Paths::kFiles) fmt::print(output.out, ":files\n");
  if (completion.paths == Paths::kFolders) fmt::print(output.out, ":folders\n");
  return kExitYes;
}

}  // namespace dray::cli
