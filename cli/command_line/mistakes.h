// SPDX-License-Identifier: Apache-2.0
// What is wrong with a command line, and what was probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/command_line/command.h"
#include "cli/command_line/command_text.h"

namespace dray::cli::inline command_line {

/// The answer to a mistake, in two lines: "dray serve: there is no option --colour", and whose help
/// says more.
std::string Refusal(const Asked& mistake);

/// About a word that the command does not know: "there is no command "serv"; did you mean serve?".
std::string UnknownWord(const CommandText& command, const std::string& word);

/// `error` about `word`, which is none of `names`, with what MeantName says of it.
Error WithMeantName(Error error, const std::string& word, std::span<const std::string_view> names);

}  // namespace dray::cli::inline command_line
