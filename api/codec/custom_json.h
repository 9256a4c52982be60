// SPDX-License-Identifier: Apache-2.0
// JSON of objects of custom kinds. json.h goes here for them; others need not.
#pragma once

#include <string>
#include <string_view>

#include "api/codec/json.h"
#include "api/custom_kind.h"
#include "api/object.h"
#include "api/reflect.h"
#include "base/result.h"

namespace dray::api::inline codec {

/// As DecodeJson() of json_said.h; `said` may be null. Unless it comes from the store, the object
/// is pruned to the schema of its version, and gets its defaults.
Result<Object> DecodeCustom(
    const CustomKind& kind, std::string_view json, DecodeIssues* issues, Wire wire, TypeMeta* said);

/// Appends the object as Go writes what it knows no struct for: all members in the order of their
/// names, those of the metadata too.
void EncodeCustom(const Object& object, std::string& out);

/// Appends `value`, of a struct of metadata, with members in the order of their names.
void EncodeSorted(const Type& type, const void* value, std::string& out);

}  // namespace dray::api::inline codec
