// SPDX-License-Identifier: Apache-2.0
// Candidates for a shell's completion of words.
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
  Paths paths = Paths::kNone;      // offered in addition to the words
};

/// Candidates for the last of `words`, which may be empty or incomplete; the words before it follow
/// the program's name. Ignores words that it does not understand. Candidates for names of pods,
/// claims, nodes and namespaces come from the files that earlier words name (file_names.h).
Completion Complete(Disk& disk, const Command& program, std::span<const std::string> words);

/// A script for bash, zsh or fish that calls the program for candidates ("dray __complete
/// WORD..."); empty for another shell.
std::string_view CompletionScript(std::string_view shell);

}  // namespace dray::cli::inline command_line
