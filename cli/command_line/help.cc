// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/help.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cel/syntax/utf8.h"

namespace dray::cli::inline command_line {
namespace {

constexpr size_t kNamesColumn = 2;
constexpr size_t kTextColumn = 26;

/// " NAME text"; the text is on lines of its own if the name is long.
std::string Entry(const std::string& name, const std::string& says) {
  std::string line = std::string(kNamesColumn, ' ') + name;
  const size_t columns = cel::syntax::CountCodePoints(line);
  if (says.empty()) return line + "\n";
  line += columns + 2 > kTextColumn ? "\n" + std::string(kTextColumn, ' ')
                                    : std::string(kTextColumn - columns, ' ');
  return line + Wrapped(says, kTextColumn, kHelpColumns) + "\n";
}

/// The description with the choices and the default.
std::string SaysOf(const OptionText& option) {
  std::string says = option.says;
  if (!option.default_value.empty()) says += fmt::format(" (default: {})", option.default_value);
  return says;
}

std::string Sections(const std::vector<OptionText>& options) {
  std::string text;
  std::string group;
  for (const OptionText& option : options) {
    if (option.group != group) text += fmt::format("\n{}:\n", option.group);
    group = option.group;
    text += Entry(SynopsisOf(option), SaysOf(option));
  }
  return text;
}

/// Wraps paragraphs, which are one line each.
std::string Notes(std::string_view more) {
  std::string text = "\n";
  for (size_t at = 0; at < more.size();) {
    const size_t end = std::min(more.find('\n', at), more.size());
    const std::string_view line = more.substr(at, end - at);
    text += line.starts_with("  ") ? std::string(line) : Wrapped(line, 0, kHelpColumns);
    text += '\n';
    at = end + 1;
  }
  return text;
}

}  // namespace

std::string SynopsisOf(const OptionText& option) {
  std::string text = fmt::format("{}", fmt::join(option.names, ", "));
  if (!option.value.empty() && !option.is_operand()) text += " " + option.value;
  return text;
}

std::string UsageOf(const CommandText& command) {
  std::string text = command.name;
  if (!command.options.empty()) text += " [OPTION]...";
  for (const OptionText& operand : command.operands) {
    const std::string name = operand.names.front() + (operand.repeats ? "..." : "");
    text += operand.is_required ? " " + name : fmt::format(" [{}]", name);
  }
  if (!command.commands.empty()) text += " COMMAND";
  return text;
}

std::string HelpText(const CommandText& command) {
  std::string text = fmt::format("{}\n\nUsage: {}\n",
                                 Wrapped(command.says, 0, kHelpColumns),
                                 Wrapped(UsageOf(command), 7, kHelpColumns));
  if (!command.operands.empty()) text += "\nOperands:\n";
  for (const OptionText& operand : command.operands) {
    text += Entry(operand.names.front(), SaysOf(operand));
  }
  if (!command.commands.empty()) text += "\nCommands:\n";
  for (const CommandText::Part& below : command.commands) text += Entry(below.name, below.says);
  text += Sections(command.options);
  return command.more.empty() ? text : text + Notes(command.more);
}

}  // namespace dray::cli::inline command_line
