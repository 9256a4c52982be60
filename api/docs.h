// SPDX-License-Identifier: Apache-2.0
// Documentation of the structs of api/schema, from the comments there.
#pragma once

#include <string_view>

#include "api/reflect.h"

namespace dray::api {

/// The comment above the struct, or kind, of `type` in its schema; empty for other types. Linear in
/// the number of structs: for documents that are made once.
std::string_view DocOf(const Type& type);

}  // namespace dray::api
