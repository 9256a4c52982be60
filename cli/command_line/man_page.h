// SPDX-License-Identifier: Apache-2.0
// Help as a page for man(1).
#pragma once

#include <string>

#include "cli/command_line/command_text.h"

namespace dray::cli::inline command_line {

/// The contents of HelpText, in the macros of man(7). `version`: "dray 0.1.0".
std::string ManPage(const CommandText& command, const std::string& version);

}  // namespace dray::cli::inline command_line
