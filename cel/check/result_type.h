// SPDX-License-Identifier: Apache-2.0
// Which types the result of a whole expression may have.
#pragma once

#include <optional>
#include <string>

#include "cel/check/type.h"
#include "cel/language/environment.h"

namespace dray::cel::check {

/// Why an expression of this environment may not have a result of `type`, in upstream's words;
/// nothing when it may. Source: dynamic-resource-allocation, cel/compile.go.
std::optional<std::string> ResultProblem(const Type& type, const Environment& environment);

}  // namespace dray::cel::check
