// SPDX-License-Identifier: Apache-2.0
// Hints about fields of custom kinds, from the schema of their definition.
#pragma once

#include <string>
#include <string_view>

#include "api/apiextensions_v1.h"

namespace dray::manifests {

/// A suggestion for the field `path` ("spec.list[0].colour"), which `schema`, that of whole
/// objects, does not have: a similar name at that place, or else the names that are known there.
/// Empty if the place is none of the schema. O(members on the path).
std::string HintForSchemaField(const api::apiextensions_v1::JSONSchemaProps& schema,
                               std::string_view path);

}  // namespace dray::manifests
