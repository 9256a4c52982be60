// SPDX-License-Identifier: Apache-2.0
// Errors in constants: upstream looks for them after the type check.
#pragma once

#include <vector>

#include "cel/check/checked_ast.h"
#include "cel/eval/plan.h"
#include "cel/language/environment.h"
#include "cel/syntax/source_error.h"

namespace dray::cel::eval {

/// Adds an error for each literal that a call reads as a duration, timestamp or regular expression
/// and that is not a valid one, for each call of format whose constant text does not fit its
/// arguments, and those of CheckLiteralsAreUniform. Costs O(nodes), and compiles each literal
/// pattern of `matches`: the valid ones are returned in `patterns`.
void Validate(const check::CheckedAst& checked,
              const Environment& environment,
              std::vector<CompiledPattern>& patterns,
              std::vector<syntax::SourceError>& errors);

}  // namespace dray::cel::eval
