// SPDX-License-Identifier: Apache-2.0
// Operators that other functions use as well.
#pragma once

#include <span>

#include "base/work.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"

namespace dray::cel::library {

/// Whether one of the items equals `wanted`, in the direction wanted == item: inside lists and maps
/// a comparison that fails counts as equal, and only the left side can fail. Stops once `work` is
/// spent.
bool HasEqual(std::span<const Value> items, const Value& wanted, Work& work);

/// a + b of two values of one kind.
Value AddValues(Arena& arena, const Value& a, const Value& b);

}  // namespace dray::cel::library
