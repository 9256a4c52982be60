// SPDX-License-Identifier: Apache-2.0
#include "api/at_path.h"

#include <algorithm>

namespace dray::api {
namespace {

Found Dereference(Found found) {
  while (found.value != nullptr && found.type->kind == TypeKind::kOptional) {
    const bool there = found.type->container->size(found.value) > 0;
    found.value = there ? found.type->container->at(found.value, 0) : nullptr;
    found.type = &found.type->element();
  }
  return found;
}

bool IsContainer(const Found& found) {
  return found.value != nullptr &&
         (found.type->kind == TypeKind::kList || found.type->kind == TypeKind::kMap);
}

}  // namespace

Found AtPath(Found from, std::string_view path) {
  Found at = Dereference(from);
  while (!path.empty()) {
    if (at.value == nullptr || at.type->kind != TypeKind::kStruct) return {};
    const size_t dot = std::min(path.find('.'), path.size());
    const Field* field = at.type->Find(path.substr(0, dot));
    if (field == nullptr) return {};
    at = Dereference({.type = &field->type(), .value = field->of(at.value)});
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return at;
}

Found AtPath(const Object& object, std::string_view path) {
  return AtPath({.type = &object.type(), .value = object.value()}, path);
}

std::string_view TextAt(const Object& object, std::string_view path) {
  const auto* text = Get<std::string>(object, path);
  return text == nullptr ? std::string_view() : *text;
}

int64_t NumberAt(const Object& object, std::string_view path) {
  const Found found = AtPath(object, path);
  if (found.value == nullptr) return 0;
  if (found.type->kind == TypeKind::kInt32) return *static_cast<const int32_t*>(found.value);
  if (found.type->kind == TypeKind::kInt64) return *static_cast<const int64_t*>(found.value);
  return 0;
}

size_t CountAt(const Object& object, std::string_view path) {
  const Found found = AtPath(object, path);
  return IsContainer(found) ? found.type->container->size(found.value) : 0;
}

std::vector<Found> ElementsAt(const Object& object, std::string_view path) {
  const Found list = AtPath(object, path);
  std::vector<Found> elements;
  if (!IsContainer(list)) return elements;
  const size_t size = list.type->container->size(list.value);
  elements.reserve(size);
  for (size_t i = 0; i < size; ++i) {
    elements.push_back(
        {.type = &list.type->element(), .value = list.type->container->at(list.value, i)});
  }
  return elements;
}

}  // namespace dray::api
