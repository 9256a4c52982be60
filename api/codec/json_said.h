// SPDX-License-Identifier: Apache-2.0
// An object and what it says it is, read from one look at its text.
#pragma once

#include <string_view>

#include "api/codec/json.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/release.h"
#include "base/result.h"

namespace dray::api::inline codec {

/// The same as ReadTypeMeta() and DecodeJson() one after the other, in one walk instead of two;
/// `said` is whole only where an object is returned.
///
/// Errors: those of DecodeJson(), which tells other mistakes first than ReadTypeMeta() does.
Result<Object> DecodeJson(
    const KindInfo& kind, std::string_view json, DecodeIssues* issues, Wire wire, TypeMeta& said);

}  // namespace dray::api::inline codec
