// SPDX-License-Identifier: Apache-2.0
#include "server/policies/kind_shapes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "custom/rules/field_names.h"

namespace dray::server::policies {
namespace {

using custom::rules::Shape;
using custom::rules::ShapeField;
using custom::rules::ShapeKind;

// How upstream's OpenAPI documents describe what is no struct and no container.
ShapeKind ScalarKind(api::TypeKind kind) {
  switch (kind) {
    case api::TypeKind::kBool: return ShapeKind::kBoolean;
    case api::TypeKind::kInt32:
    case api::TypeKind::kInt64: return ShapeKind::kInteger;
    case api::TypeKind::kDouble: return ShapeKind::kNumber;
    case api::TypeKind::kBytes: return ShapeKind::kBytes;
    case api::TypeKind::kTime:
    case api::TypeKind::kMicroTime: return ShapeKind::kDateTime;
    case api::TypeKind::kString:
    case api::TypeKind::kDuration: return ShapeKind::kString;
    case api::TypeKind::kQuantity:
    case api::TypeKind::kIntOrString:
    case api::TypeKind::kRawJson:
    case api::TypeKind::kOptional:
    case api::TypeKind::kList:
    case api::TypeKind::kMap:
    case api::TypeKind::kStruct: break;
  }
  return ShapeKind::kObject;
}

class Shaper {
 public:
  explicit Shaper(api::Release release) : wire_{.release = release} {}

  // Null: expressions do not see such values.
  std::unique_ptr<const Shape> Of(const api::Type& type) {
    auto shape = std::make_unique<Shape>();
    shape->is_exposed = true;
    switch (type.kind) {
      case api::TypeKind::kOptional: return Of(type.element());
      // Upstream's documents do not give them one type.
      case api::TypeKind::kQuantity:
      case api::TypeKind::kIntOrString: return nullptr;
      case api::TypeKind::kList:
      case api::TypeKind::kMap:
        shape->kind = type.kind == api::TypeKind::kList ? ShapeKind::kList : ShapeKind::kMap;
        shape->element = Of(type.element());
        if (shape->element == nullptr) return nullptr;
        break;
      case api::TypeKind::kStruct:
        shape->kind = ShapeKind::kObject;
        FillIn(type, *shape);
        break;
      default: shape->kind = ScalarKind(type.kind); break;
    }
    return shape;
  }

 private:
  void FillIn(const api::Type& type, Shape& shape) {
    if (std::ranges::find(within_, &type) != within_.end()) return;
    within_.push_back(&type);
    AddFields(type, shape);
    within_.pop_back();
    std::ranges::sort(shape.fields, {}, &ShapeField::name);
    shape.has_fields = !shape.fields.empty();
  }

  void AddFields(const api::Type& type, Shape& shape) {
    for (const api::Field& field : type.fields) {
      if (!field.IsOn(wire_)) continue;
      if (field.facets.inlined) {
        AddFields(field.type(), shape);
        continue;
      }
      auto inner = Of(field.type());
      if (inner == nullptr) continue;
      shape.fields.push_back(
          {.name = std::string(field.name),
           .identifier = custom::rules::EscapeName(field.name).value_or(std::string()),
           .shape = std::move(inner)});
    }
  }

  const api::Wire wire_;
  std::vector<const api::Type*> within_;
};

}  // namespace

std::unique_ptr<const Shape> ShapeOfType(const api::Type& type, api::Release release) {
  return Shaper(release).Of(type);
}

}  // namespace dray::server::policies
