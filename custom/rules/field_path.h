// SPDX-License-Identifier: Apache-2.0
// The fieldPath of a rule: the field that its errors name.
#pragma once

#include <string>
#include <string_view>

#include "api/apiextensions_v1.h"
#include "base/result.h"

namespace dray::custom::rules {

/// `path` (".a.b", "['x.y']", ".m['key']") as errors show it behind the path of the rule: "a.b",
/// "x.y", "m[key]". Each part is a property of the schema before it, or a key of an object with a
/// schema for all members. Costs O(length × log properties).
///
/// Errors: kInvalid  no such path, in upstream's words; elements of lists have none
Result<std::string> ResolveFieldPath(std::string_view path,
                                     const api::apiextensions_v1::JSONSchemaProps& schema);

}  // namespace dray::custom::rules
