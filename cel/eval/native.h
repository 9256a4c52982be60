// SPDX-License-Identifier: Apache-2.0
// Why a value cannot become one of another system: the bool of a selector, a field of a message.
#pragma once

#include <string>
#include <string_view>

#include "cel/eval/value.h"

namespace dray::cel {

/// In the words of upstream's converters; `wanted` is the Go type. Only for values that are none.
std::string ConversionProblem(const Value& value, std::string_view wanted);

}  // namespace dray::cel
