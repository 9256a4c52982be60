// SPDX-License-Identifier: Apache-2.0
// Types and meanings for every node of a syntax tree.
#pragma once

#include <vector>

#include "cel/check/checked_ast.h"
#include "cel/check/scope.h"
#include "cel/language/environment.h"
#include "cel/syntax/ast.h"
#include "cel/syntax/source_error.h"

namespace dray::cel::check {

/// Gives every node a type. Qualified names are resolved: sets.contains(a, b) becomes a global call
/// and google.protobuf.Duration one identifier. All errors of this stage are reported; with any of
/// them the result is not usable.
CheckedAst Check(syntax::Ast ast,
                 const Environment& environment,
                 const Scope& scope,
                 std::vector<syntax::SourceError>& errors);

}  // namespace dray::cel::check
