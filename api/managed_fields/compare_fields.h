// SPDX-License-Identifier: Apache-2.0
// The changes of a write, as sets of fields.
#pragma once

#include "api/managed_fields/field_set.h"
#include "api/managed_fields/part.h"
#include "api/managed_fields/shape.h"
#include "api/object.h"
#include "api/reflect.h"

namespace dray::api::managed_fields {

/// The paths at which two objects differ.
struct Changes {
  FieldSet gained;   // added, or there with another value
  FieldSet removed;  // no longer there

  bool empty() const { return gained.empty() && removed.empty(); }
};

/// The changes from `old` to `now`, which are both parts of structs or both parts of documents, of
/// this shape. A struct, list or map that was added or removed is itself among the paths, besides
/// the paths in it. Elements of a list that have the same key are compared as one. Skips the paths
/// of `ignored` (null: none) and all below them. O(size of the parts compared), but for sorting.
Changes CompareFields(const Shape& shape,
                      const Part& old,
                      const Part& now,
                      Wire wire,
                      const FieldSet* ignored = nullptr);

/// The same for objects of one kind; ignores kind and apiVersion.
Changes CompareFields(const Object& old,
                      const Object& now,
                      Wire wire,
                      const FieldSet* ignored = nullptr);

}  // namespace dray::api::managed_fields
