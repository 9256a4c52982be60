// SPDX-License-Identifier: Apache-2.0
// The rules for the spec of a definition, in upstream's order.
#pragma once

#include "api/apiextensions_v1.h"
#include "api/validation/field_error.h"
#include "custom/definitions/requirements.h"

namespace dray::custom::definitions {

/// O(size), besides the patterns in it.
void CheckSpec(const api::apiextensions_v1::CustomResourceDefinitionSpec& spec,
               const Requirements& required,
               api::validation::FieldErrors& errors);

/// What may not change from `old` to `spec`.
void CheckSpecChange(const api::apiextensions_v1::CustomResourceDefinitionSpec& spec,
                     const api::apiextensions_v1::CustomResourceDefinitionSpec& old,
                     const Requirements& required,
                     api::validation::FieldErrors& errors);

}  // namespace dray::custom::definitions
