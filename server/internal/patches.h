// SPDX-License-Identifier: Apache-2.0
// The algorithms behind server/patch.h, on trees. Each changes `document` in place; after an error
// its content is of no use.
#pragma once

#include <string>

#include "api/reflect.h"
#include "base/result.h"
#include "server/internal/json_tree.h"

namespace dray::server::internal {

/// RFC 6902. `patch` is any JSON value; the form is checked here.
Result<> ApplyJsonPatch(const JsonTree& patch, JsonTree& document);

/// RFC 7386. `patch` is an object.
void ApplyMergePatch(JsonTree patch, JsonTree& document);

/// Strategic merge by the facets of `type`. `patch` is an object.
Result<> ApplyStrategicMerge(const api::Type& type, JsonTree patch, JsonTree& document);

/// How Go's JSON decoder names what it found: "array", "object", "string", "number", "bool".
std::string GoJsonKind(const JsonTree& tree);

}  // namespace dray::server::internal
