// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>

namespace dray::cli {
namespace {

/// How the words so far are understood.
struct Position {
  const CLI::App* command;
  std::optional<OptionText> option;  // its value comes next
  size_t operands = 0;               // so far
};

const OptionText* OptionNamed(const CommandText& command, std::string_view name) {
  const auto found = std::ranges::find_if(command.options, [&](const OptionText& option) {
    return std::ranges::find(option.names, name) != option.names.end();
  });
  return found == command.options.end() ? nullptr : &*found;
}

const CLI::App* Below(const CLI::App& command, const std::string& name) {
  const auto all = command.get_subcommands([&](const CLI::App* below) {
    return !below->get_group().empty() && below->check_name(name);
  });
  return all.empty() ? nullptr : all.front();
}

void Advance(Position& position, const std::string& word) {
  if (word == "=") return;  // bash makes a word of it
  if (position.option) {
    position.option.reset();
  } else if (word.starts_with('-')) {
    const CommandText command = Describe(*position.command);
    const OptionText* option = OptionNamed(command, word);
    if (option != nullptr && !option->value.empty()) position.option = *option;
  } else if (const CLI::App* below = Below(*position.command, word)) {
    position = {.command = below, .option = {}};
  } else {
    ++position.operands;
  }
}

Completion Values(const OptionText& option, std::string_view begun, const std::string& before) {
  Completion completion;
  for (const std::string& choice : option.choices) {
    if (choice.starts_with(begun)) completion.words.push_back(before + choice);
  }
  const std::string& value =
      option.names.front().starts_with('-') ? option.value : option.names.front();
  if (value == "FILE" || value == "PATH") completion.paths = Paths::kFiles;
  if (value == "FOLDER") completion.paths = Paths::kFolders;
  return completion;
}

Completion Names(const CommandText& command, size_t operands, const std::string& begun) {
  Completion completion;
  const auto offer = [&](const std::string& name) {
    if (name.starts_with(begun)) completion.words.push_back(name);
  };
  for (const CommandText::Part& below : command.commands) offer(below.name);
  if (begun.starts_with('-')) {
    for (const OptionText& option : command.options) offer(option.names.back());
  } else if (!command.operands.empty()) {
    const OptionText& last = command.operands.back();
    const bool is_one_more = operands >= command.operands.size();
    if (!is_one_more || last.repeats) {
      completion.paths = Values(is_one_more ? last : command.operands[operands], begun, {}).paths;
    }
  }
  return completion;
}

constexpr std::string_view kBash = R"(# dray completion bash >/etc/bash_completion.d/dray
_dray() {
  local current="${COMP_WORDS[COMP_CWORD]}" line
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      :files) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
      :folders) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current") ;;
      *) COMPREPLY+=("$line") ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _dray dray
)";

constexpr std::string_view kZsh = R"(#compdef dray
# dray completion zsh >"${fpath[1]}/_dray"
_dray() {
  local line
  local -a found
  for line in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      :files) _files ;;
      :folders) _files -/ ;;
      ?*) found+=("$line") ;;
    esac
  done
  (( ${#found} )) && compadd -a found
}
compdef _dray dray
)";

constexpr std::string_view kFish = R"(# dray completion fish >~/.config/fish/completions/dray.fish
function __dray_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in ($words[1] __complete $words[2..-1] 2>/dev/null)
    switch $line
      case :files
        __fish_complete_path (commandline -ct)
      case :folders
        __fish_complete_directories (commandline -ct)
      case '*'
        echo $line
    end
  end
end
complete -c dray -f -a '(__dray_complete)'
)";

}  // namespace

Completion Complete(const CLI::App& program, std::span<const std::string> words) {
  if (words.empty()) return {};
  if (words.size() > 1 && words.front() == "help") return Complete(program, words.subspan(1));
  Position position{.command = &program, .option = {}};
  for (const std::string& word : words.first(words.size() - 1)) Advance(position, word);
  const std::string begun = words.back() == "=" ? "" : words.back();
  if (position.option) return Values(*position.option, begun, {});
  const CommandText command = Describe(*position.command);
  const size_t equals = begun.find('=');
  if (begun.starts_with("--") && equals != std::string::npos) {
    const OptionText* option = OptionNamed(command, begun.substr(0, equals));
    return option == nullptr
               ? Completion()
               : Values(*option, begun.substr(equals + 1), begun.substr(0, equals + 1));
  }
  return Names(command, position.operands, begun);
}

std::string_view CompletionScript(std::string_view shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  return shell == "fish" ? kFish : std::string_view();
}

}  // namespace dray::cli
