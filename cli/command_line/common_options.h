// SPDX-License-Identifier: Apache-2.0
// Options that several commands have, with the same meaning and the same help.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line/command.h"

namespace dray::cli::inline command_line {

/// -o, --output: one of `forms`, at least two; help lists them and shows the default, which is what
/// `format` holds now. `format` must outlive the command.
Option& AddOutput(Command& command, std::string& format, std::vector<std::string> forms);

/// -w, --watch of a running cluster. `watch` must outlive the command.
Option& AddWatch(Command& command, bool& watch);

/// --feature-gates of an API server that has all gates of DRA on. `gates` must outlive the command.
Option& AddServerGates(Command& command, std::string& gates);

/// -n, --namespace of objects that name none. `name` must outlive the command.
Option& AddNamespaceOfObjects(Command& command, std::string& name);

}  // namespace dray::cli::inline command_line
