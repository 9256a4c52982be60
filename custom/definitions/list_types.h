// SPDX-License-Identifier: Apache-2.0
// How lists and objects merge: x-kubernetes-list-type, x-kubernetes-list-map-keys and
// x-kubernetes-map-type of one schema.
#pragma once

#include "api/apiextensions_v1.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "custom/definitions/requirements.h"

namespace dray::custom::definitions {

/// Checks what the schema, at `path`, says of its own list or object.
void CheckListTypes(const api::apiextensions_v1::JSONSchemaProps& schema,
                    const Requirements& required,
                    const api::validation::Path& path,
                    api::validation::FieldErrors& errors);

/// Whether it is a set whose items are no single values.
bool HasItemsThatMerge(const api::apiextensions_v1::JSONSchemaProps& schema);

/// Whether keys of its list, or its items, may be missing or null.
bool HasLooseKeys(const api::apiextensions_v1::JSONSchemaProps& schema);

}  // namespace dray::custom::definitions
