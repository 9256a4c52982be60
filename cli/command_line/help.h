// SPDX-License-Identifier: Apache-2.0
// The text that `dray help` and --help print.
#pragma once

#include <string>

#include "cli/command_line/command_text.h"

namespace dray::cli::inline command_line {

/// The width of help.
inline constexpr size_t kHelpColumns = 80;

/// Usage, operands, options by group, commands and examples, in kHelpColumns columns unless an
/// example is longer.
std::string HelpText(const CommandText& command);

/// "dray cel [OPTION]... EXPRESSION".
std::string UsageOf(const CommandText& command);

/// "-o, --output WORD".
std::string SynopsisOf(const OptionText& option);

}  // namespace dray::cli::inline command_line
