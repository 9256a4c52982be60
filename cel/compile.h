// SPDX-License-Identifier: Apache-2.0
// From the text of an expression to a program: all phases, one after the other.
#pragma once

#include <expected>
#include <string_view>

#include "base/frozen.h"
#include "base/result.h"
#include "cel/check/scope.h"
#include "cel/compile_error.h"
#include "cel/eval/program.h"
#include "cel/language/environment.h"

namespace dray::cel {

/// Compiles `expression`, which may be of any length, with the names of `scope` and of the
/// environment. Costs O(length). All errors of the first stage that finds any are reported.
std::expected<Frozen<eval::Program>, CompileError> CompileProgram(std::string_view expression,
                                                                  const Environment& environment,
                                                                  const check::Scope& scope = {});

/// The same within the limit of the API and without other names.
///
/// Errors, in upstream's words:
///   kInvalid        longer than kExpressionBytesMax; "compilation failed: ERROR: <input>:1:…" with
///                   the caret form; "must evaluate to …, not T"
///   kInternalError  "program instantiation failed: …": a constant part fails
Result<Frozen<eval::Program>> Compile(std::string_view expression, const Environment& environment);

}  // namespace dray::cel
