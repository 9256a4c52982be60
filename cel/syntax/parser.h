// SPDX-License-Identifier: Apache-2.0
// From text to a syntax tree with macros expanded.
#pragma once

#include <string_view>
#include <vector>

#include "cel/language/environment.h"
#include "cel/syntax/ast.h"
#include "cel/syntax/source_error.h"

namespace dray::cel::syntax {

/// Parses `expression`, which is at most kExpressionBytesMax long. On any error, `errors` is not
/// empty afterwards and the tree is not usable. Only the first syntax error is reported; every bad
/// name, bad literal and wrong use of a macro is. Time and memory are linear; recursion is bounded
/// by kNestingMax and kPathMax.
Ast Parse(std::string_view expression,
          const Environment& environment,
          std::vector<SourceError>& errors);

}  // namespace dray::cel::syntax
