// SPDX-License-Identifier: Apache-2.0
// Structural schemas: the form that schemas of definitions must have. Every member has a type, and
// logic (allOf, anyOf, oneOf, not) only restricts values that are declared outside of it.
#pragma once

#include <string_view>

#include "api/apiextensions_v1.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "custom/definitions/patterns.h"

namespace dray::custom::definitions {

/// The first member that keeps upstream from reading the schema as a structural one, as a text for
/// an error; empty if there is none. The other rules are not asked then.
std::string_view FindUnsupported(const api::apiextensions_v1::JSONSchemaProps& schema);

/// What is wrong with the form of a version's schema, in upstream's order: by path and text.
/// Precondition: FindUnsupported() found nothing. O(size), besides the patterns.
api::validation::FieldErrors CheckStructural(const api::apiextensions_v1::JSONSchemaProps& schema,
                                             const api::validation::Path& path,
                                             Patterns& patterns);

}  // namespace dray::custom::definitions
