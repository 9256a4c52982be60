// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/man_page.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "cli/command_line/help.h"

namespace dray::cli::inline command_line {
namespace {

std::string Capitals(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

/// Escapes text for roff: backslashes, and dots or quotes at the start of a line.
std::string RoffEscaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped.starts_with('.') || escaped.starts_with('\'') ? "\\&" + escaped : escaped;
}

std::string ManEntry(const std::string& name, const std::string& says) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", RoffEscaped(name), RoffEscaped(says));
}

std::string ManOptions(const std::vector<OptionText>& options) {
  std::string text;
  std::string group;
  for (const OptionText& option : options) {
    if (option.group != group) text += fmt::format(".SH {}\n", RoffEscaped(Capitals(option.group)));
    group = option.group;
    std::string says = option.says;
    if (!option.default_value.empty()) says += fmt::format(" (default: {})", option.default_value);
    text += ManEntry(SynopsisOf(option), says);
  }
  return text;
}

/// Lines that begin with two blanks stay unchanged; others are filled.
std::string ManNotes(std::string_view more) {
  std::string text = ".SH NOTES\n";
  bool is_kept = false;
  for (size_t at = 0; at < more.size();) {
    const size_t end = std::min(more.find('\n', at), more.size());
    const std::string_view line = more.substr(at, end - at);
    if (line.starts_with("  ") != is_kept) {
      text += is_kept ? ".fi\n.PP\n" : ".PP\n.nf\n";
      is_kept = !is_kept;
    }
    text += RoffEscaped(line) + "\n";
    at = end + 1;
  }
  return is_kept ? text + ".fi\n" : text;
}

}  // namespace

std::string ManPage(const CommandText& command, const std::string& version) {
  std::string page_name = command.name;
  std::ranges::replace(page_name, ' ', '-');
  std::string text = fmt::format(
      ".TH {} 1 \"\" \"{}\" \"Dray\"\n", RoffEscaped(Capitals(page_name)), RoffEscaped(version));
  text += fmt::format(".SH NAME\n{} \\- {}\n", RoffEscaped(page_name), RoffEscaped(command.says));
  text += fmt::format(".SH SYNOPSIS\n{}\n", RoffEscaped(UsageOf(command)));
  if (!command.operands.empty()) text += ".SH OPERANDS\n";
  for (const OptionText& operand : command.operands) {
    text += ManEntry(operand.names.front(), operand.says);
  }
  if (!command.commands.empty()) text += ".SH COMMANDS\n";
  for (const CommandText::Part& below : command.commands) text += ManEntry(below.name, below.says);
  text += ManOptions(command.options);
  return command.more.empty() ? text : text + ManNotes(command.more);
}

}  // namespace dray::cli::inline command_line
