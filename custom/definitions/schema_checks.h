// SPDX-License-Identifier: Apache-2.0
// All rules for the schema of a version.
#pragma once

#include <cstdint>

#include "api/apiextensions_v1.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "custom/definitions/patterns.h"
#include "custom/definitions/requirements.h"

namespace dray::custom::definitions {

/// Whether objects of the version have the subresource status.
enum class HasStatus : uint8_t { kNo, kYes };

/// Checks a version's schema; `path` is that of the schema itself.
void CheckSchema(const api::apiextensions_v1::JSONSchemaProps& schema,
                 HasStatus has_status,
                 const Requirements& required,
                 const api::validation::Path& path,
                 Patterns& patterns,
                 api::validation::FieldErrors& errors);

}  // namespace dray::custom::definitions
