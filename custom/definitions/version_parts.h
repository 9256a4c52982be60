// SPDX-License-Identifier: Apache-2.0
// Rules for the parts of a version besides its schema: subresources, columns, selectable fields,
// the warning of deprecated versions.
#pragma once

#include <cstddef>

#include "api/apiextensions_v1.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"

namespace dray::custom::definitions {

/// How many fields of a version may be selectable.
inline constexpr size_t kSelectableFieldsMax = 8;

void CheckDeprecationWarning(const api::apiextensions_v1::CustomResourceDefinitionVersion& version,
                             const api::validation::Path& path,
                             api::validation::FieldErrors& errors);

void CheckSubresources(const api::apiextensions_v1::CustomResourceSubresources& subresources,
                       const api::validation::Path& path,
                       api::validation::FieldErrors& errors);

void CheckColumns(const api::List<api::apiextensions_v1::CustomResourceColumnDefinition>& columns,
                  const api::validation::Path& path,
                  api::validation::FieldErrors& errors);

/// Paths are followed through `schema`. `may_be_many`: there is no limit to their number.
void CheckSelectableFields(const api::List<api::apiextensions_v1::SelectableField>& fields,
                           const api::apiextensions_v1::JSONSchemaProps& schema,
                           bool may_be_many,
                           const api::validation::Path& path,
                           api::validation::FieldErrors& errors);

}  // namespace dray::custom::definitions
