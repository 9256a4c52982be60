// SPDX-License-Identifier: Apache-2.0
// Documents as values of expressions, without copies: a list or object becomes a view, whose parts
// become values when an expression asks for them.
#pragma once

#include "api/value/tree.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"
#include "custom/rules/shape.h"

namespace dray::custom::rules {

/// The value of `tree`, which is read by `shape`: see ScalarValue() for all but lists and objects.
/// Both outlive the value, which lives in `arena`. O(1) but for formats.
cel::Value TreeValue(const api::Tree& tree, const Shape& shape, cel::Arena& arena);

}  // namespace dray::custom::rules
