// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/shape.h"

#include <algorithm>

#include "api/managed_fields/schema_node.h"
#include "api/merge/element_identity.h"
#include "base/text/json_text.h"

namespace dray::api::managed_fields {
namespace {

const Type& Inner(const Type& type) {
  const Type* inner = &type;
  while (inner->kind == TypeKind::kOptional) inner = &inner->element();
  return *inner;
}

Shape ListShape(const Type& list, const Facets& facets) {
  const Facets rules = ListRules(facets);
  switch (rules.list) {
    case ListKind::kSet: return {.kind = Shape::Kind::kSet, .type = &list};
    case ListKind::kMap:
      return {.kind = Shape::Kind::kKeyedList, .type = &list, .keys = rules.list_keys};
    case ListKind::kUndeclared:
    case ListKind::kAtomic: break;
  }
  return {.kind = Shape::Kind::kAtomic, .type = &list};
}

Shape ShapeBy(const Type& outer, const Facets& facets) {
  using Kind = Shape::Kind;
  const Type& type = Inner(outer);
  switch (type.kind) {
    case TypeKind::kBool: return {.kind = Kind::kBool, .type = &type};
    case TypeKind::kInt32:
    case TypeKind::kInt64:
    case TypeKind::kDouble: return {.kind = Kind::kNumber, .type = &type};
    case TypeKind::kString:
    case TypeKind::kBytes:
    case TypeKind::kDuration: return {.kind = Kind::kText, .type = &type};
    case TypeKind::kQuantity:
    case TypeKind::kTime:
    case TypeKind::kMicroTime:
    case TypeKind::kIntOrString: return {.kind = Kind::kAnyScalar, .type = &type};
    case TypeKind::kRawJson:
    case TypeKind::kOptional: return {.kind = Kind::kOpaque, .type = &type};
    case TypeKind::kList: return ListShape(type, facets);
    case TypeKind::kMap:
      return {.kind = facets.atomic_map ? Kind::kAtomic : Kind::kMap, .type = &type};
    case TypeKind::kStruct: {
      const bool is_atomic = type.atomic || facets.atomic_map;
      return {.kind = is_atomic ? Kind::kAtomic : Kind::kStruct, .type = &type};
    }
  }
  return {.kind = Kind::kOpaque, .type = &type};
}

}  // namespace

Shape ShapeOf(const Type& type) {
  return ShapeBy(type, {});
}

Shape ShapeOf(const SchemaNode& node) {
  if (node.type != nullptr) return ShapeOf(*node.type);
  return {.kind = node.kind, .type = nullptr, .node = &node};
}

Shape ShapeOf(const Field& field) {
  return ShapeBy(field.type(), field.facets);
}

bool Shape::is_list() const {
  return node == nullptr ? type->kind == TypeKind::kList : node->form == ShapeForm::kList;
}

bool Shape::is_object() const {
  if (node != nullptr) return node->form == ShapeForm::kObject || kind == Kind::kDeduced;
  return type->kind == TypeKind::kMap || type->kind == TypeKind::kStruct;
}

Shape ElementShape(const Shape& container) {
  if (container.node != nullptr) {
    const SchemaNode* inner = container.node->inner;
    return inner == nullptr
               ? Shape{.kind = Shape::Kind::kOpaque, .type = nullptr, .node = container.node}
               : ShapeOf(*inner);
  }
  return ShapeBy(container.type->element(), {});
}

const Field* FindMember(const Type& type, std::string_view name, Wire wire) {
  for (const Field& field : type.fields) {
    if (!field.IsOn(wire)) continue;
    if (!field.facets.inlined) {
      if (field.name == name) return &field;
    } else if (const Field* found = FindMember(Inner(field.type()), name, wire)) {
      return found;
    }
  }
  return nullptr;
}

namespace {

std::optional<Shape> MemberOf(const Shape& parent, std::string_view name) {
  const SchemaNode& node = *parent.node;
  if (parent.kind == Shape::Kind::kDeduced) return parent;
  const auto found = node.members.find(name);
  if (found != node.members.end()) return ShapeOf(*found->second);
  return node.inner == nullptr ? std::nullopt : std::optional(ShapeOf(*node.inner));
}

}  // namespace

std::optional<Shape> MemberShape(const Shape& parent, std::string_view name, Wire wire) {
  if (parent.node != nullptr) return MemberOf(parent, name);
  if (parent.type->kind == TypeKind::kMap) return ElementShape(parent);
  const Field* field = FindMember(*parent.type, name, wire);
  return field == nullptr ? std::nullopt : std::optional(ShapeOf(*field));
}

std::optional<Shape> FieldShape(const Shape& parent, std::string_view name, Wire wire) {
  return parent.is_object() ? MemberShape(parent, name, wire) : std::nullopt;
}

std::optional<Shape> ItemShape(const Shape& parent) {
  return parent.is_list() ? std::optional(ElementShape(parent)) : std::nullopt;
}

bool IsNamed(const Shape& parent, std::string_view name, Wire wire) {
  if (parent.node != nullptr) return parent.node->members.contains(name);
  return parent.type->kind == TypeKind::kStruct && FindMember(*parent.type, name, wire) != nullptr;
}

namespace {

// What a key without this member has in its place, as JSON; nothing when that is no value.
std::optional<std::string> KeyDefault(const Field& field) {
  const Facets& facets = field.facets;
  // Upstream's documents give the zero of its type to what Go always writes.
  const bool is_always_written = facets.required && !facets.omit_empty;
  if (facets.default_value.empty() && !is_always_written) return std::nullopt;
  switch (field.type().kind) {
    case TypeKind::kString: {
      std::string json;
      AppendJsonString(facets.default_value, JsonEscapes::kWeb, json);
      return json;
    }
    case TypeKind::kBool:
      return std::string(facets.default_value.empty() ? "false" : facets.default_value);
    case TypeKind::kInt32:
    case TypeKind::kInt64:
      return std::string(facets.default_value.empty() ? "0" : facets.default_value);
    default: return std::nullopt;
  }
}

}  // namespace

std::vector<KeyPart> KeyPartsOf(const Shape& list, Wire wire) {
  std::vector<KeyPart> members;
  if (list.node != nullptr) {
    for (const SchemaNode::Key& key : list.node->keys) {
      members.push_back({.name = key.name, .field = nullptr, .absent = key.absent});
    }
    return members;
  }
  const Type& element = Inner(list.type->element());
  for (std::string_view names = list.keys; !names.empty();) {
    const size_t comma = std::min(names.find(','), names.size());
    if (const Field* field = FindMember(element, names.substr(0, comma), wire)) {
      members.push_back({.name = field->name, .field = field, .absent = KeyDefault(*field)});
    }
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return members;
}

}  // namespace dray::api::managed_fields
