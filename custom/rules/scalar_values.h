// SPDX-License-Identifier: Apache-2.0
// Values of documents that have no parts, as expressions see them.
#pragma once

#include "api/value/tree.h"
#include "cel/value/arena.h"
#include "cel/value/value.h"
#include "custom/rules/shape.h"

namespace dray::custom::rules {

/// The value of `tree`, which is read by `shape`. Texts are not copied: `tree` outlives the value.
/// What does not fit the shape is an error value, and so is null unless it may be null; a list or
/// object is one, too. Costs O(1), for formats O(length).
cel::Value ScalarValue(const api::Tree& tree, const Shape& shape, cel::Arena& arena);

}  // namespace dray::custom::rules
