// SPDX-License-Identifier: Apache-2.0
#include "cli/mistakes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/spelling.h"

namespace dray::cli {
namespace {

/// The command as far as the words name one.
const CLI::App& Reached(const CLI::App& program) {
  const auto parsed = program.get_subcommands();
  return parsed.empty() ? program : Reached(*parsed.back());
}

/// CLI11 says "--output: xml not in {table,json,yaml}" of a word that is none of those there are;
/// empty of everything else.
std::string WrongChoice(std::string_view error) {
  constexpr std::string_view kNotIn = " not in {";
  const size_t not_in = error.find(kNotIn);
  if (not_in == std::string_view::npos || !error.ends_with('}')) return {};
  const std::string_view before = error.substr(0, not_in);
  const size_t colon = before.rfind(": ");
  const std::string word(before.substr(colon == std::string_view::npos ? 0 : colon + 2));
  const size_t first = not_in + kNotIn.size();
  const std::vector<std::string> choices =
      CLI::detail::split(std::string(error.substr(first, error.size() - 1 - first)), ',');
  return fmt::format(
      "{} is none of {}{}", before, fmt::join(choices, ", "), MeantName(word, choices));
}

std::string WhatIsWrong(const CLI::App& program,
                        const CommandText& command,
                        const CLI::ParseError& error) {
  const std::vector<std::string> unknown = program.remaining(true);
  if (!unknown.empty()) return UnknownWord(command, unknown.front());
  if (!command.commands.empty()) return "a command is missing";
  const std::string choice = WrongChoice(error.what());
  return choice.empty() ? error.what() : choice;
}

}  // namespace

std::string Refusal(const CLI::App& program, const CLI::ParseError& error) {
  const CommandText command = Describe(Reached(program));
  return fmt::format("{0}: {1}\nRun {0} --help for what there is.\n",
                     command.name,
                     WhatIsWrong(program, command, error));
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

}  // namespace dray::cli
