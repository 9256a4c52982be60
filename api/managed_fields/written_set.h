// SPDX-License-Identifier: Apache-2.0
// Sets that are there as FieldsV1 only: what can be said of them without making them. Most entries
// of an object have nothing to do with what a write changes.
#pragma once

#include <string_view>

#include "api/managed_fields/compare_fields.h"
#include "api/managed_fields/shape.h"
#include "api/reflect.h"

namespace dray::api::managed_fields {

/// Whether it is sure that who owns `fields_v1` of a value of `shape` keeps it as it is: that the
/// set is not empty, names nothing inside what is owned as a whole, and shares no path with
/// `changes`. False for whatever FieldSet::Parse() refuses, unless it lies where nothing changes.
/// O(text), and for each step beside which something changes the logarithm of what does.
bool KeepsAll(std::string_view fields_v1, const Shape& shape, Wire wire, const Changes& changes);

}  // namespace dray::api::managed_fields
