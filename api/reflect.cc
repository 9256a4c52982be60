// SPDX-License-Identifier: Apache-2.0
#include "api/reflect.h"

namespace dray::api {

const Field* Type::Find(std::string_view json_name) const {
  for (const Field& field : fields) {
    if (!field.facets.inlined && field.name == json_name) return &field;
  }
  return nullptr;
}

#define DRAY_SCALAR_TYPE(cpp_type, type_kind, word)                         \
  const Type& Reflected<cpp_type>::Get() {                                  \
    static constexpr Type kType{.kind = type_kind,                          \
                                .name = word,                               \
                                .value = &ValueOperationsOf<cpp_type>::kValue}; \
    return kType;                                                           \
  }
DRAY_SCALAR_TYPE(bool, TypeKind::kBool, "bool")
DRAY_SCALAR_TYPE(Bool, TypeKind::kBool, "bool")
DRAY_SCALAR_TYPE(int32_t, TypeKind::kInt32, "int32")
DRAY_SCALAR_TYPE(int64_t, TypeKind::kInt64, "int64")
DRAY_SCALAR_TYPE(std::string, TypeKind::kString, "string")
DRAY_SCALAR_TYPE(Bytes, TypeKind::kBytes, "bytes")
DRAY_SCALAR_TYPE(Quantity, TypeKind::kQuantity, "Quantity")
DRAY_SCALAR_TYPE(Time, TypeKind::kTime, "Time")
DRAY_SCALAR_TYPE(MicroTime, TypeKind::kMicroTime, "MicroTime")
DRAY_SCALAR_TYPE(Duration, TypeKind::kDuration, "Duration")
DRAY_SCALAR_TYPE(IntOrString, TypeKind::kIntOrString, "IntOrString")
DRAY_SCALAR_TYPE(RawJson, TypeKind::kRawJson, "RawJson")
#undef DRAY_SCALAR_TYPE

}  // namespace dray::api
