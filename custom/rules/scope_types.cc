// SPDX-License-Identifier: Apache-2.0
#include "custom/rules/scope_types.h"

#include <utility>

namespace dray::custom::rules {

using cel::check::SimpleType;
using cel::check::Type;
using cel::check::TypeKind;

namespace {

// Upstream has a number here that changes with each compilation, so that no rule can name the type.
// Expressions of ours cannot name it at all.
constexpr std::string_view kSelfType = "selfType0";

TypeKind ScalarKind(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::kString: return TypeKind::kString;
    case ShapeKind::kBytes: return TypeKind::kBytes;
    case ShapeKind::kDuration: return TypeKind::kDuration;
    case ShapeKind::kDate:
    case ShapeKind::kDateTime: return TypeKind::kTimestamp;
    case ShapeKind::kNumber: return TypeKind::kDouble;
    case ShapeKind::kInteger: return TypeKind::kInt;
    case ShapeKind::kBoolean: return TypeKind::kBool;
    case ShapeKind::kUntyped:
    case ShapeKind::kPreserved:
    case ShapeKind::kIntOrString:
    case ShapeKind::kList:
    case ShapeKind::kMap:
    case ShapeKind::kObject: break;
  }
  return TypeKind::kDyn;
}

}  // namespace

ScopeTypes::ScopeTypes(const Shape& self) : self_(self) {
  type_ = TypeOf(self, std::string(kSelfType));
}

const Type* ScopeTypes::TypeOf(const Shape& shape, const std::string& name) {
  switch (shape.kind) {
    case ShapeKind::kList:
      return pool_.Make(TypeKind::kList, {TypeOf(*shape.element, name + ".@idx")});
    case ShapeKind::kMap:
      return pool_.Make(TypeKind::kMap,
                        {SimpleType(TypeKind::kString), TypeOf(*shape.element, name + ".@elem")});
    case ShapeKind::kObject: {
      const Type* const type = pool_.MakeNamed(TypeKind::kObject, name);
      objects_[type].shape = &shape;
      return type;
    }
    case ShapeKind::kUntyped:
    case ShapeKind::kPreserved:
    case ShapeKind::kIntOrString:
    case ShapeKind::kString:
    case ShapeKind::kBytes:
    case ShapeKind::kDuration:
    case ShapeKind::kDate:
    case ShapeKind::kDateTime:
    case ShapeKind::kNumber:
    case ShapeKind::kInteger:
    case ShapeKind::kBoolean: break;
  }
  return SimpleType(ScalarKind(shape.kind));
}

cel::check::Scope ScopeTypes::ScopeOf(bool optional_old_self) {
  const Type* const old = optional_old_self ? pool_.Make(TypeKind::kOptional, {type_}) : type_;
  cel::check::Scope scope;
  scope.variables = {{.name = "self", .type = {}, .known_type = type_},
                     {.name = std::string(kOldSelf), .type = {}, .known_type = old}};
  scope.fields = this;
  return scope;
}

bool ScopeTypes::Has(const Type& object) {
  return objects_.contains(&object);
}

const Type* ScopeTypes::Find(const Type& object, std::string_view field) {
  const auto known = objects_.find(&object);
  if (known == objects_.end()) return nullptr;
  if (const auto made = known->second.fields.find(field); made != known->second.fields.end()) {
    return made->second;
  }
  const ShapeField* const found = known->second.shape->FindIdentifier(field);
  if (found == nullptr) return nullptr;
  const Type* const type =
      TypeOf(*found->shape, std::string(object.name) + "." + found->identifier);
  // Making the type may have moved the objects.
  objects_[&object].fields.emplace(field, type);
  return type;
}

std::optional<cel::cost::SizeRange> ScopeTypes::SizeOf(
    std::span<const std::string_view> path) const {
  // Both variables have one type. What is inside a value that is no part of them is taken for a
  // part of them, as upstream does.
  const Shape* shape = &self_;
  for (const std::string_view step : path.subspan(1)) {
    if (step == cel::cost::kItemsStep || step == cel::cost::kValuesStep) {
      shape = shape->element.get();
    } else if (step == cel::cost::kKeysStep) {
      // Upstream's type of keys has no size.
      static const Shape kKey;
      shape = shape->kind == ShapeKind::kMap ? &kKey : nullptr;
    } else {
      const ShapeField* const field = shape->FindIdentifier(step);
      // A reserved word without its escape has a type, but no size.
      shape = field != nullptr && field->identifier == step ? field->shape.get() : nullptr;
    }
    if (shape == nullptr) return std::nullopt;
  }
  return cel::cost::SizeRange{0, static_cast<uint64_t>(shape->elements_max)};
}

}  // namespace dray::custom::rules
