// SPDX-License-Identifier: Apache-2.0
// Errors in constants that upstream finds in a tree that type-checked.
#pragma once

#include <vector>

#include "cel/check/checked_ast.h"
#include "cel/eval/plan.h"
#include "cel/language/environment.h"
#include "cel/syntax/source_error.h"

namespace dray::cel::eval {

/// Adds an error per literal that is no duration, timestamp or regular expression though a call
/// takes it for one, per call of format whose constant text does not fit its arguments, and what
/// CheckLiteralsAreUniform finds. Costs O(nodes), and compiles each literal pattern of `matches`:
/// those that are good come back in `patterns`.
void Validate(const check::CheckedAst& checked,
              const Environment& environment,
              std::vector<CompiledPattern>& patterns,
              std::vector<syntax::SourceError>& errors);

}  // namespace dray::cel::eval
