// SPDX-License-Identifier: Apache-2.0
// Operations of server-side apply on documents: validate a configuration, collect its fields, merge
// it into the live object, and remove fields again. `shape` is that of the documents, which have
// neither kind nor apiVersion.
#pragma once

#include <cstddef>
#include <string>

#include "api/codec/json_tree.h"
#include "api/managed_fields/field_set.h"
#include "api/managed_fields/shape.h"
#include "api/reflect.h"
#include "base/result.h"

namespace dray::api::managed_fields {

/// Limit of the errors reported for one document.
inline constexpr size_t kMistakesMax = 100;

/// Checks that `document` has `shape`: every field is known, every value has its type or is null,
/// and no element of a set or keyed list occurs twice. Errors: kUnknown  in upstream's words, with
/// the path of each error.
Result<> CheckDocument(const Shape& shape, const JsonTree& document, Wire wire);

/// The fields of a checked document: its leaves, the entries of maps, the elements of lists, and
/// empty values. O(size), but for sorting.
FieldSet FieldsOf(const Shape& shape, const JsonTree& document, Wire wire);

/// Merges `applied` into `live`: scalars and atomic values of `applied` replace those of `live`,
/// structs and maps merge member by member, lists element by element. The elements of `applied`
/// keep its order; the others keep their places relative to the common elements. Removes nothing.
/// O(size), but for sorting.
JsonTree MergeDocuments(const Shape& shape,
                        const JsonTree& live,
                        const JsonTree& applied,
                        Wire wire);

/// `document` without the members and elements in `fields`. A struct, map or list without any left
/// becomes null. Atomic values are removed only by their own path.
JsonTree RemoveFields(const Shape& shape,
                      const JsonTree& document,
                      const FieldSet& fields,
                      Wire wire);

/// `fields` and every field of a struct on the way to one of them.
FieldSet WithNamedFields(const Shape& shape, const FieldSet& fields, Wire wire);

}  // namespace dray::api::managed_fields
