// SPDX-License-Identifier: Apache-2.0
// How the parts of an object merge: the meaning of the schema's facets for server-side apply. The
// rules are those that upstream reads from its OpenAPI documents (kube-openapi's schemaconv).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/reflect.h"

namespace dray::api::managed_fields {

/// How values of one type, at one place of the schema, merge.
struct Shape {
  enum class Kind : uint8_t {
    kBool,
    kNumber,
    kText,
    kAnyScalar,  // quantities, times, numbers or texts
    kOpaque,     // JSON that the server does not look into
    kSet,        // a list without repetitions
    kKeyedList,  // a list whose elements have keys
    kMap,        // from texts
    kStruct,
    kAtomic,  // a list, map or struct that one writer has as a whole
  };

  Kind kind;
  const Type* type;            // without the optional around it
  std::string_view keys = {};  // of a keyed list, separated by commas

  bool is_list() const { return type->kind == TypeKind::kList; }
  /// Whether a value is owned as a whole: scalars, opaque and atomic values.
  bool is_leaf() const { return kind < Kind::kSet || kind == Kind::kAtomic; }
};

/// The shape of values of `type`.
Shape ShapeOf(const Type& type);
/// The shape of the values of a field.
Shape ShapeOf(const Field& field);

/// The shape of the elements of a list or map.
Shape ElementShape(const Shape& container);

/// The field of a struct, or of those inlined into it, with this JSON name; null when documents of
/// this form have none. O(fields).
const Field* FindMember(const Type& type, std::string_view name, Wire wire);

/// The shape of a member of a struct or map; nothing when the struct does not have it.
std::optional<Shape> MemberShape(const Shape& parent, std::string_view name, Wire wire);

// The part of `parent` that a step of a set leads to; nothing if the step does not fit.

/// Into a field of a struct or map.
std::optional<Shape> FieldShape(const Shape& parent, std::string_view name, Wire wire);
/// To an element of a list.
std::optional<Shape> ItemShape(const Shape& parent);

/// The fields that make the key of an element of `list`, in the order they are declared; a field
/// that documents of this form do not have is left out.
std::vector<const Field*> KeyFields(const Shape& list, Wire wire);

/// The value of a key that does not have this member, as JSON; nothing if it has no default.
std::optional<std::string> KeyDefault(const Field& field);

}  // namespace dray::api::managed_fields
