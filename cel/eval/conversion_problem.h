// SPDX-License-Identifier: Apache-2.0
// Error texts for values that cannot be converted to Go: to the bool of a selector, a field of a
// message, a list.
#pragma once

#include <string>
#include <string_view>

#include "cel/value/value.h"

namespace dray::cel::eval {

/// Upstream's text for a value that cannot become the Go type `wanted`.
std::string ConversionProblem(const Value& value, std::string_view wanted);

/// Upstream's panic where it uses `value` as a list without a check.
std::string ListerProblem(const Value& value);

/// The Go type of what a value of cel-go holds: "int64", "[]ref.Val".
std::string_view GoTypeHeld(const Value& value);

}  // namespace dray::cel::eval
