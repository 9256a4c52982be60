// SPDX-License-Identifier: Apache-2.0
// Reads an object and its apiVersion and kind in one pass.
#pragma once

#include <string_view>

#include "api/codec/json.h"
#include "api/kind.h"
#include "api/object.h"
#include "api/release.h"
#include "base/result.h"

namespace dray::api::inline codec {

/// The same as ReadTypeMeta() and DecodeJson() one after the other, in one pass instead of two.
/// `said` is complete only if an object is returned.
///
/// Errors: those of DecodeJson(), which may report another error first than ReadTypeMeta() does.
Result<Object> DecodeJson(
    const KindInfo& kind, std::string_view json, DecodeIssues* issues, Wire wire, TypeMeta& said);

}  // namespace dray::api::inline codec
