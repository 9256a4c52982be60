// SPDX-License-Identifier: Apache-2.0
// What a shell offers when somebody presses Tab.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/world.h"
#include "cli/command_line/command.h"

namespace dray::cli::inline command_line {

enum class Paths : uint8_t { kNone, kFiles, kFolders };

struct Completion {
  std::vector<std::string> words;  // in the order in which help has them
  Paths paths = Paths::kNone;      // offered beside the words
};

/// What may stand for the last of `words`, which may be empty or begun; the words before it are
/// those behind the program's name. Words that make no sense are passed over. Names of pods,
/// claims, nodes and namespaces are those in the files that the words before it name
/// (file_names.h).
Completion Complete(Disk& disk, const Command& program, std::span<const std::string> words);

/// A script for bash, zsh or fish that asks the program itself ("dray __complete WORD..."); empty
/// for another shell.
std::string_view CompletionScript(std::string_view shell);

}  // namespace dray::cli::inline command_line
