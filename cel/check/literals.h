// SPDX-License-Identifier: Apache-2.0
// The Kubernetes rule that the elements of a list, the keys and the values of a map literal have
// one exact type each.
#pragma once

#include <vector>

#include "cel/check/checked_ast.h"
#include "cel/syntax/source_error.h"

namespace dray::cel::check {

/// Adds an error for the first element of a list, and for every key and value of a map, whose type
/// differs from that of the first one; dyn and int differ too. Literals in the arguments of format
/// are exempt.
void CheckLiteralsAreUniform(const CheckedAst& checked, std::vector<syntax::SourceError>& errors);

}  // namespace dray::cel::check
