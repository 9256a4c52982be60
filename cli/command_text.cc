// SPDX-License-Identifier: Apache-2.0
#include "cli/command_text.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/feature_gates.h"
#include "cel/syntax/utf8.h"

namespace dray::cli {
namespace {

/// "dray store backup".
std::string NameOf(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr ? command.get_name()
                           : fmt::format("{} {}", NameOf(*parent), command.get_name());
}

/// CLI11 says what may follow an option as "TEXT:{json,text}" or "UINT:UINT in [1 - 9]".
void AddValue(const CLI::Option& option, OptionText& text) {
  if (option.get_type_size() == 0) return;
  const std::string type = option.get_type_name();
  text.value = type.substr(0, type.find(':'));
  const size_t open = type.find('{');
  const size_t close = type.find('}');
  if (open != std::string::npos && close != std::string::npos) {
    text.choices = CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
  }
  if (text.value == "TEXT" || text.value == "UINT" || text.value == "INT") {
    text.value = !text.choices.empty() ? "WORD" : text.value == "TEXT" ? "TEXT" : "NUMBER";
  }
  text.default_value = option.get_default_str();
}

OptionText DescribeOption(const CLI::Option& option) {
  OptionText text{.names = {},
                  .value = {},
                  .choices = {},
                  .default_value = {},
                  .says = option.get_description(),
                  .group = option.get_group(),
                  .is_required = option.get_required(),
                  .repeats = option.get_items_expected_max() > 1};
  AddValue(option, text);
  if (option.get_positional()) {
    text.names = {option.get_name(true)};
    return text;
  }
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  return text;
}

}  // namespace

CommandText Describe(const CLI::App& command) {
  CommandText text{.name = NameOf(command),
                   .says = command.get_description(),
                   .more = command.get_footer(),
                   .operands = {},
                   .options = {},
                   .commands = {}};
  for (const std::string& group : command.get_groups()) {
    if (group.empty()) continue;
    for (const CLI::Option* option : command.get_options()) {
      if (option->get_group() != group) continue;
      auto& list = option->get_positional() ? text.operands : text.options;
      list.push_back(DescribeOption(*option));
    }
  }
  for (const CLI::App* below : command.get_subcommands({})) {
    if (below->get_group().empty()) continue;
    text.commands.push_back({.name = below->get_name(), .says = below->get_description()});
  }
  return text;
}

std::string ReleaseType(api::Release first) {
  std::vector<std::string> names;
  for (const api::Release release : api::KnownReleases()) {
    if (release >= first) names.push_back(api::ReleaseName(release));
  }
  return fmt::format("RELEASE:{{{}}}", fmt::join(names, ","));
}

std::string Wrapped(std::string_view text, size_t indent, size_t width) {
  std::string wrapped;
  size_t column = indent;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const size_t columns = cel::syntax::CountCodePoints(word);
    if (column > indent && column + 1 + columns > width) {
      wrapped += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      wrapped += ' ';
      ++column;
    }
    wrapped += word;
    column += columns;
    at = end + 1;
  }
  return wrapped;
}

}  // namespace dray::cli
