// SPDX-License-Identifier: Apache-2.0
// Checks sets in the form of FieldsV1 without parsing them, because a write changes no fields of
// most entries.
#pragma once

#include <string_view>

#include "api/managed_fields/compare_fields.h"
#include "api/managed_fields/shape.h"
#include "api/reflect.h"

namespace dray::api::managed_fields {

/// Whether it is certain that the owner of `fields_v1` of a value of `shape` keeps the set
/// unchanged: the set is not empty, has no path inside an atomic value, and shares no path with
/// `changes`. Returns false if FieldSet::Parse() would refuse the text, unless the error is at a
/// place without changes. O(text), plus the logarithm of the changes for each step beside a change.
bool KeepsAll(std::string_view fields_v1, const Shape& shape, Wire wire, const Changes& changes);

}  // namespace dray::api::managed_fields
