// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line/completion.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "cli/command_line/file_names.h"
#include "dray/profile.h"
#include "node/profile.h"

namespace dray::cli::inline command_line {
namespace {

// Placeholders in help for values that names from files or our own names can complete.
constexpr std::string_view kPath = "PATH";
constexpr std::string_view kNamespace = "NAMESPACE";

/// The meaning of the words so far.
struct Position {
  const Command* command;
  std::optional<OptionText> option;  // its value comes next
  size_t operands = 0;               // so far
  std::vector<std::string> files;    // named so far
  std::string namespace_ = {};       // likewise
};

const OptionText* OptionNamed(const CommandText& command, std::string_view name) {
  const auto found = std::ranges::find_if(command.options, [&](const OptionText& option) {
    return std::ranges::find(option.names, name) != option.names.end();
  });
  return found == command.options.end() ? nullptr : &*found;
}

void Advance(Position& position, const std::string& word) {
  if (word == "=") return;  // bash passes it as a word
  if (position.option) {
    if (position.option->value == kPath) position.files.push_back(word);
    if (position.option->value == kNamespace) position.namespace_ = word;
    position.option.reset();
  } else if (word.starts_with('-')) {
    const CommandText command = position.command->Describe();
    const OptionText* option = OptionNamed(command, word);
    if (option != nullptr && !option->value.empty()) position.option = *option;
  } else if (const Command* below = position.command->Below(word)) {
    position = {.command = below, .option = {}, .files = {}};
  } else {
    ++position.operands;
  }
}

/// The placeholder of the value in help.
const std::string& ValueOf(const OptionText& option) {
  return option.is_operand() ? option.names.front() : option.value;
}

/// "pod/NAME" and "claim/NAME" of an object; empty for other kinds.
std::string TargetOf(const FileName& object) {
  if (object.kind == "Pod") return "pod/" + object.name;
  return object.kind == "ResourceClaim" ? "claim/" + object.name : std::string();
}

/// Candidates for `value` from the files named before it, each once, in order.
std::vector<std::string> NamesFor(Disk& disk, std::string_view value, const Position& position) {
  const bool is_target = value == "KIND/NAME";
  const bool is_node = value == "NODE" || value == "NODE=COUNT";
  if (!is_target && !is_node && value != kNamespace) return {};
  std::set<std::string> names;
  for (const FileName& object : NamesInFiles(disk, position.files)) {
    const bool is_there = position.namespace_.empty() || object.namespace_ == position.namespace_;
    if (is_target && is_there) names.insert(TargetOf(object));
    if (is_node && object.kind == "Node") names.insert(object.name);
    if (value == kNamespace) names.insert(object.namespace_);
  }
  names.erase(std::string());
  return {names.begin(), names.end()};
}

/// Candidates for `value` from our own names.
std::vector<std::string> OwnNames(std::string_view value) {
  std::vector<std::string> names;
  const auto add = [&](auto&& all, auto name_of) {
    for (const auto& one : all) names.emplace_back(name_of(one));
  };
  if (value == "PROFILE") add(allocator::ProfileNames(), std::identity());
  if (value == "PROFILE=COUNT" || value == "NODE=COUNT") add(node::Profiles(), std::identity());
  return names;
}

Completion Values(Disk& disk,
                  const OptionText& option,
                  const Position& position,
                  std::string_view begun,
                  const std::string& before) {
  Completion completion;
  const std::string& value = ValueOf(option);
  const std::string_view after = value.ends_with("=COUNT") ? "=" : "";
  for (const auto& names : {option.choices, OwnNames(value), NamesFor(disk, value, position)}) {
    for (const std::string& name : names) {
      if (name.starts_with(begun))
        completion.words.push_back(fmt::format("{}{}{}", before, name, after));
    }
  }
  if (value == "FILE" || value == kPath) completion.paths = Paths::kFiles;
  if (value == "FOLDER") completion.paths = Paths::kFolders;
  return completion;
}

Completion Names(Disk& disk,
                 const CommandText& command,
                 const Position& position,
                 const std::string& begun) {
  Completion completion;
  const auto offer = [&](const std::string& name) {
    if (name.starts_with(begun)) completion.words.push_back(name);
  };
  for (const CommandText::Part& below : command.commands) offer(below.name);
  if (begun.starts_with('-')) {
    for (const OptionText& option : command.options) offer(option.names.back());
  } else if (!command.operands.empty()) {
    const OptionText& last = command.operands.back();
    const bool is_one_more = position.operands >= command.operands.size();
    if (!is_one_more || last.repeats) {
      const OptionText& operand = is_one_more ? last : command.operands[position.operands];
      Completion values = Values(disk, operand, position, begun, {});
      std::ranges::move(values.words, std::back_inserter(completion.words));
      completion.paths = values.paths;
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
      *=) compopt -o nospace; COMPREPLY+=("$line") ;;
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
  local -a found begun
  for line in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      :files) _files ;;
      :folders) _files -/ ;;
      ?*=) begun+=("$line") ;;
      ?*) found+=("$line") ;;
    esac
  done
  (( ${#begun} )) && compadd -S '' -a begun
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

Completion Complete(Disk& disk, const Command& program, std::span<const std::string> words) {
  if (words.empty()) return {};
  if (words.size() > 1 && words.front() == "help") {
    return Complete(disk, program, words.subspan(1));
  }
  Position position{.command = &program, .option = {}, .files = {}};
  for (const std::string& word : words.first(words.size() - 1)) Advance(position, word);
  const std::string begun = words.back() == "=" ? "" : words.back();
  if (position.option) return Values(disk, *position.option, position, begun, {});
  const CommandText command = position.command->Describe();
  const size_t equals = begun.find('=');
  if (begun.starts_with("--") && equals != std::string::npos) {
    const OptionText* option = OptionNamed(command, begun.substr(0, equals));
    return option == nullptr ? Completion()
                             : Values(disk,
                                      *option,
                                      position,
                                      begun.substr(equals + 1),
                                      begun.substr(0, equals + 1));
  }
  return Names(disk, command, position, begun);
}

std::string_view CompletionScript(std::string_view shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  return shell == "fish" ? kFish : std::string_view();
}

}  // namespace dray::cli::inline command_line
