// SPDX-License-Identifier: Apache-2.0
// The Kubernetes rule that the elements of a list, the keys and the values of a map literal have
// one exact type each.
#pragma once

#include <vector>

#include "cel/check/checked_ast.h"
#include "cel/syntax/source_error.h"

namespace dray::cel::check {

/// Adds an error for the first element of a list, and for each key and value of a map, whose type
/// is not that of the first; dyn beside int included. Literals anywhere below a call of format are
/// exempt.
void CheckLiteralsAreUniform(const CheckedAst& checked, std::vector<syntax::SourceError>& errors);

}  // namespace dray::cel::check
