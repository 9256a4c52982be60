// SPDX-License-Identifier: Apache-2.0
#include "server/registry/type_shapes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "api/custom_kind.h"
#include "api/meta_v1/object_meta.h"
#include "server/policies/kind_shapes.h"
#include "server/registry/custom_version.h"

namespace dray::server::registry {
namespace {

using custom::rules::Shape;
using custom::rules::ShapeField;
using custom::rules::ShapeKind;

std::unique_ptr<const Shape> TextShape() {
  auto text = std::make_unique<Shape>();
  text->kind = ShapeKind::kString;
  text->is_exposed = true;
  return text;
}

void Add(std::string_view name, std::unique_ptr<const Shape> shape, Shape& object) {
  std::erase_if(object.fields, [name](const ShapeField& field) { return field.name == name; });
  object.fields.push_back(
      {.name = std::string(name), .identifier = std::string(name), .shape = std::move(shape)});
}

// The shape is this function's caller's alone, and was made as one that may change.
Shape& Changeable(const Shape& shape) {
  return const_cast<Shape&>(shape);
}

}  // namespace

std::unique_ptr<const Shape> TypeShapeOf(const api::KindInfo& kind, api::Release release) {
  std::unique_ptr<const Shape> shape;
  if (api::IsCustom(kind)) {
    const Frozen<SchemaVersion> version = RulesOf(kind);
    if (version == nullptr) return nullptr;
    const auto schema = version->DecodeSchema();
    if (!schema.has_value()) return nullptr;
    shape = custom::rules::MakeShape(*schema, custom::rules::ShapePlace::kResourceRoot);
    if (shape->kind != ShapeKind::kObject) return shape;
    Add("metadata",
        policies::ShapeOfType(api::TypeOf<api::meta_v1::ObjectMeta>(), release),
        Changeable(*shape));
  } else {
    shape = policies::ShapeOfType(kind.type(), release);
  }
  Shape& whole = Changeable(*shape);
  for (const std::string_view name : {"apiVersion", "kind"}) Add(name, TextShape(), whole);
  std::ranges::sort(whole.fields, {}, &ShapeField::name);
  whole.has_fields = true;
  return shape;
}

}  // namespace dray::server::registry
