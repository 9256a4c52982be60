// SPDX-License-Identifier: Apache-2.0
// text.format(arguments): version 2 of the strings extension, in its older form. Numbers are
// written as in American English.
#pragma once

#include <optional>
#include <string>

#include "cel/check/checked_ast.h"

namespace dray::cel::library {

struct FormatProblem {
  syntax::NodeId node = syntax::kNoNode;
  std::string message;
};

/// What is wrong with a call of `format` whose text is a literal and whose argument is a list
/// literal; in other calls nothing can be found before evaluation. `call` is a kCall node of
/// function "format".
std::optional<FormatProblem> CheckFormatCall(const check::CheckedAst& checked, syntax::NodeId call);

}  // namespace dray::cel::library
