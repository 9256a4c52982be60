// SPDX-License-Identifier: Apache-2.0
// From the text of an expression to its program, for those who use expressions.
#pragma once

#include <string_view>

#include "base/published.h"
#include "base/result.h"
#include "cel/environment.h"
#include "cel/eval/program.h"

namespace dray::cel {

/// As Program::Compile, within the limit of the API.
///
/// Errors, in upstream's words:
///   kInvalid        longer than kExpressionBytesMax; "compilation failed: ERROR: <input>:1:…" with
///                   the caret form; "must evaluate to …, not T"
///   kInternalError  "program instantiation failed: …": a constant part fails
Result<Frozen<Program>> Compile(std::string_view expression, const Environment& environment);

}  // namespace dray::cel
