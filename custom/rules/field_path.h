// SPDX-License-Identifier: Apache-2.0
// Paths of fields as definitions write them, ".spec.ports['http']", followed through a schema: the
// fieldPath of a rule, selectable fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/apiextensions_v1.h"
#include "base/result.h"

namespace dray::custom::rules {

/// Whether a path may have a key in brackets.
enum class Brackets : uint8_t { kAllowed, kRefused };

struct FoundField {
  std::string path;  // as errors write it: "spec.ports[http]"
  /// What values of the field may be; null below a map whose values may be anything.
  const api::apiextensions_v1::JSONSchemaProps* schema;
};

/// Follows `path` from the root of `schema`. There is no way into lists. Cost is linear in the
/// path, besides looking up its names.
///
/// Errors: kInvalid  in upstream's words: "does not refer to a valid field"
Result<FoundField> FindField(std::string_view path,
                             const api::apiextensions_v1::JSONSchemaProps& schema,
                             Brackets brackets);

/// The fieldPath of a rule as errors show it behind the path of the rule: "a.b", "m[key]". Errors
/// as above.
Result<std::string> ResolveFieldPath(std::string_view path,
                                     const api::apiextensions_v1::JSONSchemaProps& schema);

}  // namespace dray::custom::rules
