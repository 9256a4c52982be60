// SPDX-License-Identifier: Apache-2.0
#include "api/managed_fields/schema_shape.h"

#include <utility>

#include "api/custom_kind.h"
#include "api/meta_v1/object_meta.h"

namespace dray::api::managed_fields {
namespace {

using apiextensions_v1::JSONSchemaProps;
using Form = Shape::Form;
using Kind = Shape::Kind;

const SchemaNode& DeducedNode() {
  static const SchemaNode kNode;
  return kNode;
}

const SchemaNode& TextNode() {
  static const SchemaNode kNode{.kind = Kind::kText};
  return kNode;
}

const SchemaNode& MetadataNode() {
  static const SchemaNode kNode{
      .kind = Kind::kStruct, .form = Form::kObject, .type = &Reflected<meta_v1::ObjectMeta>::kType};
  return kNode;
}

// What every object of a kind has, also one that lies in another.
void AddFrame(SchemaNode& node) {
  node.members.insert_or_assign("apiVersion", &TextNode());
  node.members.insert_or_assign("kind", &TextNode());
  node.members.insert_or_assign("metadata", &MetadataNode());
}

Kind ScalarKind(std::string_view type) {
  if (type == "boolean") return Kind::kBool;
  if (type == "integer" || type == "number") return Kind::kNumber;
  return type == "string" ? Kind::kText : Kind::kDeduced;
}

bool KeepsUnknown(const JSONSchemaProps& props) {
  return props.x_kubernetes_preserve_unknown_fields.value_or(false);
}

}  // namespace

SchemaShape::SchemaShape(const JSONSchemaProps* props) {
  SchemaNode root;
  if (props != nullptr) root = *Compile(*props);
  if (props == nullptr || root.form != Form::kObject) {
    root = {.kind = Kind::kStruct, .form = Form::kObject, .inner = &DeducedNode()};
  }
  AddFrame(root);
  root_ = Add(std::move(root));
}

const SchemaNode* SchemaShape::Add(SchemaNode node) {
  return &nodes_.emplace_back(std::move(node));
}

// As deep as definitions are read (kNestedStructsMax).
const SchemaNode* SchemaShape::Compile(const JSONSchemaProps& props) {  // NOLINT(misc-no-recursion)
  if (props.x_kubernetes_int_or_string) return Add({.kind = Kind::kAnyScalar});
  if (props.type == "object") return CompileObject(props);
  if (props.type == "array") return CompileList(props);
  if (props.type.empty() && !props.properties.empty()) return CompileObject(props);
  return Add({.kind = ScalarKind(props.type)});
}

const SchemaNode* SchemaShape::CompileObject(
    const JSONSchemaProps& props) {  // NOLINT(misc-no-recursion)
  SchemaNode node{.kind = Kind::kStruct, .form = Form::kObject};
  for (const auto& [name, member] : props.properties) {
    node.members.emplace(name, Compile(member));
  }
  if (props.x_kubernetes_embedded_resource) AddFrame(node);
  if (KeepsUnknown(props)) {
    node.inner = &DeducedNode();
  } else if (props.additional_properties.has_value()) {
    const auto& others = *props.additional_properties;
    if (others.schema.has_value()) {
      node.inner = Compile(*others.schema);
    } else if (others.allows) {
      node.inner = &DeducedNode();
    }
  }
  if (node.members.empty() && node.inner != nullptr) node.kind = Kind::kMap;
  if (props.x_kubernetes_map_type == "atomic") node.kind = Kind::kAtomic;
  return Add(std::move(node));
}

const SchemaNode* SchemaShape::CompileList(
    const JSONSchemaProps& props) {  // NOLINT(misc-no-recursion)
  SchemaNode node{.kind = Kind::kAtomic, .form = Form::kList, .inner = &DeducedNode()};
  const JSONSchemaProps* element = nullptr;
  if (props.items.has_value() && props.items->schema.has_value()) element = &*props.items->schema;
  if (element != nullptr) node.inner = Compile(*element);
  if (props.x_kubernetes_list_type == "set") node.kind = Kind::kSet;
  if (props.x_kubernetes_list_type == "map") {
    node.kind = Kind::kKeyedList;
    for (const std::string& name : props.x_kubernetes_list_map_keys) {
      SchemaNode::Key key{.name = name, .absent = std::nullopt};
      const auto member =
          element == nullptr ? JSONSchemaProps().properties.end() : element->properties.find(name);
      if (element != nullptr && member != element->properties.end() &&
          member->second.default_.has_value()) {
        key.absent = member->second.default_->compact();
      }
      node.keys.push_back(std::move(key));
    }
  }
  return Add(std::move(node));
}

Shape Resolve(const Shape& shape, Form form) {
  if (shape.kind != Kind::kDeduced) return shape;
  static const SchemaNode kObject{
      .kind = Kind::kMap, .form = Form::kObject, .inner = &DeducedNode()};
  static const SchemaNode kList{
      .kind = Kind::kAtomic, .form = Form::kList, .inner = &DeducedNode()};
  static const SchemaNode kScalar{.kind = Kind::kAnyScalar};
  switch (form) {
    case Form::kObject: return ShapeOf(kObject);
    case Form::kList: return ShapeOf(kList);
    case Form::kScalar: break;
  }
  return ShapeOf(kScalar);
}

RootShape::RootShape(const KindInfo& kind) : shape_(ShapeOf(kind.type())) {
  const CustomKind* custom = CustomOf(kind);
  if (custom == nullptr) return;
  version_ = custom->now.Load();
  static const SchemaShape kUnknown(nullptr);
  shape_ = ShapeOf(version_ == nullptr ? kUnknown.root() : version_->shape().root());
}

}  // namespace dray::api::managed_fields
