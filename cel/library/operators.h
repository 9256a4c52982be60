// SPDX-License-Identifier: Apache-2.0
// Operators that other functions use as well.
#pragma once

#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel::library {

/// a + b of two values of one kind.
Value AddValues(Arena& arena, const Value& a, const Value& b);

}  // namespace dray::cel::library
