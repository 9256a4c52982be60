// SPDX-License-Identifier: Apache-2.0
// Why a value cannot become one of another system: the bool of a selector, a field of a message, a
// list of Go.
#pragma once

#include <string>
#include <string_view>

#include "cel/value/value.h"

namespace dray::cel::eval {

/// In the words of upstream's converters; `wanted` is the Go type. Only for values that are none.
std::string ConversionProblem(const Value& value, std::string_view wanted);

/// How upstream breaks where it takes `value` for a list without asking.
std::string ListerProblem(const Value& value);

}  // namespace dray::cel::eval
