// SPDX-License-Identifier: Apache-2.0
// Messages about mistakes on a command line, with suggestions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/command_line/command.h"
#include "cli/command_line/command_text.h"

namespace dray::cli::inline command_line {

/// The message about a mistake, in two lines: "dray serve: there is no option --colour", and the
/// command whose help explains more.
std::string Refusal(const Asked& mistake);

/// The message about an unknown word: "there is no command "serv"; did you mean serve?".
std::string UnknownWord(const CommandText& command, const std::string& word);

/// Adds to `error` about `word`, which is none of `names`, the suggestion of MeantName.
Error WithMeantName(Error error, const std::string& word, std::span<const std::string_view> names);

}  // namespace dray::cli::inline command_line
