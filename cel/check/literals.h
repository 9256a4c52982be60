// SPDX-License-Identifier: Apache-2.0
// The Kubernetes rule that the elements of a list, the keys and the values of a map literal have
// one exact type each.
#pragma once

#include <vector>

#include "cel/check/checker.h"

namespace dray::cel {

/// Adds an error per literal that mixes types, dyn beside int included. Literals inside the
/// argument list of format are exempt.
void CheckLiteralsAreUniform(const CheckedAst& checked, std::vector<SourceError>& errors);

}  // namespace dray::cel
