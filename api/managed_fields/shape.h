// SPDX-License-Identifier: Apache-2.0
// How the parts of an object merge: what the schema's facets mean to server-side apply. The rules
// are those that upstream reads from its OpenAPI documents (kube-openapi's schemaconv).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/managed_fields/shape_kind.h"
#include "api/reflect.h"

namespace dray::api::managed_fields {

struct SchemaNode;  // api/managed_fields/schema_node.h

/// How values of one type, at one place of the schema, merge.
struct Shape {
  using Kind = ShapeKind;
  using Form = ShapeForm;

  Kind kind;
  const Type* type;            // without the optional around it; null below a schema's node
  std::string_view keys = {};  // of a keyed list, separated by commas
  /// Of a custom kind; its documents are trees. Null for types of this program.
  const SchemaNode* node = nullptr;

  bool is_list() const;
  /// A map or struct, also an atomic one.
  bool is_object() const;
  /// Whether a value is owned as a whole: scalars, opaque and atomic values.
  bool is_leaf() const { return kind < Kind::kSet || kind == Kind::kAtomic; }
};

/// The shape of values of `type` outside of a field.
Shape ShapeOf(const Type& type);
/// The shape of the values of a field.
Shape ShapeOf(const Field& field);
/// The shape of the values at a node of a schema, which outlives the shape.
Shape ShapeOf(const SchemaNode& node);

/// `shape`, or what a deduced one is for a value of this form: objects merge by member, lists do
/// not.
Shape Resolve(const Shape& shape, Shape::Form form);

/// The shape of the elements of a list or map.
Shape ElementShape(const Shape& container);

/// The field of a struct, or of those inlined into it, with this JSON name; null when documents of
/// this form have none. O(fields).
const Field* FindMember(const Type& type, std::string_view name, Wire wire);

/// The shape of a member of a struct or map; nothing when the struct does not have it.
std::optional<Shape> MemberShape(const Shape& parent, std::string_view name, Wire wire);

// What a step of a set leads to from a value of `parent`; nothing when it does not fit there.

/// Into a field of a struct or map.
std::optional<Shape> FieldShape(const Shape& parent, std::string_view name, Wire wire);
/// To an element of a list.
std::optional<Shape> ItemShape(const Shape& parent);

/// Whether the schema names this member of `parent`, a map or struct.
bool IsNamed(const Shape& parent, std::string_view name, Wire wire);

/// One member of the key of an element.
struct KeyPart {
  std::string_view name;
  const Field* field;                 // null below a schema's node
  std::optional<std::string> absent;  // what stands for it where it is not there, as JSON
};

/// The members that make the key of an element of `list`, in the order they are declared; one that
/// documents of this form do not have is left out.
std::vector<KeyPart> KeyPartsOf(const Shape& list, Wire wire);

}  // namespace dray::api::managed_fields
