// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/mistakes.h"

#include <fmt/format.h>

#include "base/text/printable.h"
#include "base/text/spelling.h"

namespace dray::cli::inline command_line {
namespace {

std::string WhatIsWrong(const Asked& mistake, const CommandText& command) {
  if (!mistake.unknown.empty()) return UnknownWord(command, mistake.unknown.front());
  return command.commands.empty() ? mistake.why : "a command is missing";
}

}  // namespace

std::string Refusal(const Asked& mistake) {
  const CommandText command = mistake.command->Describe();
  return fmt::format("{0}: {1}\nRun {0} --help for what there is.\n",
                     command.name,
                     PrintableLines(WhatIsWrong(mistake, command)));
}

Error WithMeantName(Error error, const std::string& word, std::span<const std::string_view> names) {
  error.message += MeantName(word, std::vector<std::string>(names.begin(), names.end()));
  return error;
}

std::string UnknownWord(const CommandText& command, const std::string& word) {
  std::vector<std::string> names;
  if (word.starts_with('-')) {
    for (const OptionText& option : command.options) {
      names.insert(names.end(), option.names.begin(), option.names.end());
    }
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("there is no option {}{}", name, MeantName(name, names));
  }
  if (command.commands.empty()) {
    const bool is_kind_and_name =
        !command.operands.empty() && command.operands.front().names.front() == "KIND/NAME";
    return fmt::format("\"{}\" is one operand too many{}",
                       word,
                       is_kind_and_name ? "; kind and name are one word, as in pod/NAME" : "");
  }
  for (const CommandText::Part& below : command.commands) names.push_back(below.name);
  return fmt::format("there is no command \"{}\"{}", word, MeantName(word, names));
}

}  // namespace dray::cli::inline command_line
