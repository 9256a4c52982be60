// SPDX-License-Identifier: Apache-2.0
#include "manifests/typed_templates.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "api/reflect.h"

namespace dray::manifests {
namespace {

std::string Below(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

void Visit(const api::Type& type,
           const void* value,
           const std::string& path,
           std::vector<TypedTemplate>& found) {
  switch (type.kind) {
    case api::TypeKind::kStruct:
      if (&type == &api::TypeOf<api::core_v1::PodTemplateSpec>()) {
        found.push_back(
            {.path = path, .pods = static_cast<const api::core_v1::PodTemplateSpec*>(value)});
        return;
      }
      for (const api::Field& field : type.fields) {
        Visit(field.type(),
              field.of(value),
              field.facets.inlined ? path : Below(path, field.name),
              found);
      }
      return;
    case api::TypeKind::kOptional:
      if (type.container->size(value) > 0) {
        Visit(type.element(), type.container->at(value, 0), path, found);
      }
      return;
    case api::TypeKind::kList:
      for (size_t i = 0; i < type.container->size(value); ++i) {
        Visit(type.element(), type.container->at(value, i), fmt::format("{}[{}]", path, i), found);
      }
      return;
    case api::TypeKind::kMap:
    case api::TypeKind::kBool:
    case api::TypeKind::kInt32:
    case api::TypeKind::kInt64:
    case api::TypeKind::kDouble:
    case api::TypeKind::kString:
    case api::TypeKind::kBytes:
    case api::TypeKind::kQuantity:
    case api::TypeKind::kTime:
    case api::TypeKind::kMicroTime:
    case api::TypeKind::kDuration:
    case api::TypeKind::kIntOrString:
    case api::TypeKind::kRawJson: return;
  }
}

}  // namespace

std::vector<TypedTemplate> TypedTemplatesIn(const api::Object& object) {
  std::vector<TypedTemplate> found;
  Visit(object.type(), object.value(), {}, found);
  return found;
}

}  // namespace dray::manifests
