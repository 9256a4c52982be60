// SPDX-License-Identifier: Apache-2.0
// Rules for single members of a schema, asked of it and of every schema in it, also where it stands
// in logic: which members are supported, where defaults may be, how lists merge, what rules say.
#pragma once

#include "api/apiextensions_v1.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "custom/definitions/requirements.h"

namespace dray::custom::definitions {

/// Checks a version's schema, at `path`. O(size).
void CheckMembers(const api::apiextensions_v1::JSONSchemaProps& schema,
                  const Requirements& required,
                  const api::validation::Path& path,
                  api::validation::FieldErrors& errors);

}  // namespace dray::custom::definitions
