// SPDX-License-Identifier: Apache-2.0
// What server-side apply does with documents: judging what was applied, the fields that it names,
// merging it into the live object, and taking fields away again. `shape` is that of the documents,
// which have neither kind nor apiVersion.
#pragma once

#include <cstddef>
#include <string>

#include "api/codec/json_tree.h"
#include "api/managed_fields/field_set.h"
#include "api/managed_fields/shape.h"
#include "api/reflect.h"
#include "base/result.h"

namespace dray::api::managed_fields {

/// How many mistakes of one document are told.
inline constexpr size_t kMistakesMax = 100;

/// Whether `document` is of `shape`: every field known, every value of its type or null, and no
/// element of a set or keyed list there twice.
/// Errors: kUnknown  in upstream's words, with the path of each mistake.
Result<> CheckDocument(const Shape& shape, const JsonTree& document, Wire wire);

/// The fields that a checked document names: its leaves, the entries of maps, the elements of
/// lists, and what is empty. O(size), but for sorting.
FieldSet FieldsOf(const Shape& shape, const JsonTree& document, Wire wire);

/// `live` with what `applied` says: its scalars and atomic values win, structs and maps merge
/// member by member, lists element by element. The elements of `applied` keep its order, the
/// others their places among those both have. Nothing is removed. O(size), but for sorting.
JsonTree MergeDocuments(const Shape& shape,
                        const JsonTree& live,
                        const JsonTree& applied,
                        Wire wire);

/// `document` without the members and elements that `fields` names; what is left without any is
/// null. Atomic values stay unless their own path is named.
JsonTree RemoveFields(const Shape& shape,
                      const JsonTree& document,
                      const FieldSet& fields,
                      Wire wire);

/// `fields` and every field of a struct on the way to one of them.
FieldSet WithNamedFields(const Shape& shape, const FieldSet& fields, Wire wire);

}  // namespace dray::api::managed_fields
