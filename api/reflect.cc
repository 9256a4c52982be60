// SPDX-License-Identifier: Apache-2.0
#include "api/reflect.h"

#include <algorithm>

namespace dray::api {
namespace {

template <class T>
constexpr ScalarOperations kScalar{
    .assign = [](void* to,
                 const void* from) { *static_cast<T*>(to) = *static_cast<const T*>(from); },
    .clear = [](void* value) { *static_cast<T*>(value) = T(); },
    .equal = [](const void* a,
                const void* b) { return *static_cast<const T*>(a) == *static_cast<const T*>(b); },
    // NOLINTNEXTLINE(readability-container-size-empty): not every T has empty()
    .is_zero = [](const void* value) { return *static_cast<const T*>(value) == T(); },
};

bool IsMap(const Type& type) {
  return type.kind == TypeKind::kMap;
}

}  // namespace

bool Equal(const Type& type, const void* a, const void* b) {
  if (type.scalar != nullptr) return type.scalar->equal(a, b);
  if (type.kind == TypeKind::kStruct) {
    return std::ranges::all_of(type.fields, [&](const Field& field) {
      return Equal(field.type(), field.of(a), field.of(b));
    });
  }
  const ContainerOperations& container = *type.container;
  const size_t size = container.size(a);
  if (size != container.size(b)) return false;
  bool equal = true;
  if (IsMap(type)) {
    VisitMap(type, a, [&](std::string_view key, const void* ours) {
      const void* theirs = container.find(b, key);
      equal = equal && theirs != nullptr && Equal(type.element(), ours, theirs);
    });
    return equal;
  }
  for (size_t i = 0; i < size && equal; ++i) {
    equal = Equal(type.element(), container.at(a, i), container.at(b, i));
  }
  return equal;
}

bool IsZero(const Type& type, const void* value) {
  if (type.scalar != nullptr) return type.scalar->is_zero(value);
  if (type.kind != TypeKind::kStruct) return type.container->size(value) == 0;
  return std::ranges::all_of(
      type.fields, [&](const Field& field) { return IsZero(field.type(), field.of(value)); });
}

void Clear(const Type& type, void* value) {
  if (type.scalar != nullptr) {
    type.scalar->clear(value);
  } else if (type.kind == TypeKind::kStruct) {
    for (const Field& field : type.fields) Clear(field.type(), MutableMember(field, value));
  } else {
    type.container->clear(value);
  }
}

void Assign(const Type& type, void* to, const void* from) {
  if (to == from) return;
  if (type.scalar != nullptr) return type.scalar->assign(to, from);
  if (type.kind == TypeKind::kStruct) {
    for (const Field& field : type.fields) {
      Assign(field.type(), MutableMember(field, to), field.of(from));
    }
    return;
  }
  const ContainerOperations& container = *type.container;
  container.clear(to);
  if (IsMap(type)) {
    VisitMap(type, from, [&](std::string_view key, const void* element) {
      Assign(type.element(), container.add(to, key), element);
    });
    return;
  }
  const size_t size = container.size(from);
  if (container.present != nullptr && container.present(from)) container.set_present(to);
  for (size_t i = 0; i < size; ++i)
    Assign(type.element(), container.add(to, {}), container.at(from, i));
}

const Field* Type::Find(std::string_view json_name) const {
  for (const Field& field : fields) {
    if (!field.facets.inlined && field.name == json_name) return &field;
  }
  return nullptr;
}

#define DRAY_SCALAR_TYPE(cpp_type, type_kind, word)                                             \
  constinit const Type Reflected<cpp_type>::kType {                                             \
    .kind = (type_kind), .name = (word), .size = sizeof(cpp_type), .scalar = &kScalar<cpp_type> \
  }
DRAY_SCALAR_TYPE(bool, TypeKind::kBool, "bool");
DRAY_SCALAR_TYPE(Bool, TypeKind::kBool, "bool");
DRAY_SCALAR_TYPE(int32_t, TypeKind::kInt32, "int32");
DRAY_SCALAR_TYPE(int64_t, TypeKind::kInt64, "int64");
DRAY_SCALAR_TYPE(double, TypeKind::kDouble, "float64");
DRAY_SCALAR_TYPE(std::string, TypeKind::kString, "string");
DRAY_SCALAR_TYPE(Bytes, TypeKind::kBytes, "bytes");
DRAY_SCALAR_TYPE(Quantity, TypeKind::kQuantity, "Quantity");
DRAY_SCALAR_TYPE(Time, TypeKind::kTime, "Time");
DRAY_SCALAR_TYPE(MicroTime, TypeKind::kMicroTime, "MicroTime");
DRAY_SCALAR_TYPE(Duration, TypeKind::kDuration, "Duration");
DRAY_SCALAR_TYPE(IntOrString, TypeKind::kIntOrString, "IntOrString");
DRAY_SCALAR_TYPE(RawJson, TypeKind::kRawJson, "RawJson");
DRAY_SCALAR_TYPE(AnyJson, TypeKind::kRawJson, "JSON");
#undef DRAY_SCALAR_TYPE

}  // namespace dray::api
