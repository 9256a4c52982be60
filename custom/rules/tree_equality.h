// SPDX-License-Identifier: Apache-2.0
// Two parts of documents compared: as expressions do, and as values without a schema.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "api/value/tree.h"
#include "base/work.h"
#include "cel/value/value.h"
#include "custom/rules/shape.h"

namespace dray::custom::rules {

/// a == b as expressions see it: true, false, or the error that comparing elements of a set that
/// are no scalars gives. Sets and lists with keys ignore order; times are compared as times.
/// Members that the schema does not have count where both objects have them, as upstream. Costs
/// O(size), but for sets and lists with keys O(n log n); charges `work`, and stops without an
/// answer once it is spent. Recursion is as deep as `shape`.
cel::Value TreesEqual(const Shape& shape, const api::Tree& a, const api::Tree& b, Work& work);

/// Whether both are one JSON value. Costs O(size), charged to `work`; false once it is spent. Does
/// not recurse.
bool SameTree(const api::Tree& a, const api::Tree& b, Work& work);

/// The key of an element of a list with keys: the values of its key members as bytes.
/// Nothing if it is no object, or lacks a key, or a key is no scalar.
std::optional<std::string> MapListKey(const api::Tree& element, std::span<const std::string> keys);

}  // namespace dray::custom::rules
