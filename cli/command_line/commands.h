// SPDX-License-Identifier: Apache-2.0
// The commands about the program itself.
#pragma once

#include <span>
#include <string>

#include "base/world.h"
#include "cli/command_line/command.h"
#include "cli/terminal/output.h"

namespace dray::cli::inline command_line {

// Each adds a command to `program`.

/// dray help: prints help or man pages.
void AddHelp(Command& program);
/// dray completion: prints scripts for shells.
void AddCompletion(Command& program);
/// dray version.
void AddVersion(Command& program);

/// Answers the completion scripts, "dray __complete WORD...": prints candidates for the last word,
/// one a line; ":files" and ":folders" stand for paths. Returns kExitYes.
int PrintCompletion(World& world,
                    const Command& program,
                    std::span<const std::string> words,
                    const Output& output);

/// "dray 0.1.0 (Kubernetes API 1.37, allocator profile v0.37.2)".
std::string VersionLine();

}  // namespace dray::cli::inline command_line
