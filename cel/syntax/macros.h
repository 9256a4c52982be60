// SPDX-License-Identifier: Apache-2.0
// The macros of the environment: has, the folds, cel.bind, optMap, sortBy.
#pragma once

#include <vector>

#include "cel/language/environment.h"
#include "cel/syntax/ast.h"
#include "cel/syntax/source_error.h"

namespace dray::cel::syntax {

/// If `call` (a kCall node) is the use of a macro, turns it into what the macro means. A name with
/// another number of arguments is an ordinary call. Misuse adds to `errors` and leaves an invalid
/// node.
void ExpandMacro(Ast& ast,
                 Node& call,
                 const Environment& environment,
                 std::vector<SourceError>& errors);

}  // namespace dray::cel::syntax
