// SPDX-License-Identifier: Apache-2.0
// Names of a kind: whether they have the right form.
#pragma once

#include <string_view>

#include "api/apiextensions_v1.h"
#include "api/text/names.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"

namespace dray::custom::definitions {

/// What is wrong with `name` as that of a definition, besides being no DNS subdomain.
api::NameErrors CheckDefinitionName(const api::apiextensions_v1::CustomResourceDefinition& next,
                                    std::string_view name);

/// The form of names; an empty one passes.
void CheckNames(const api::apiextensions_v1::CustomResourceDefinitionNames& names,
                const api::validation::Path& path,
                api::validation::FieldErrors& errors);

/// The names that a definition cannot do without.
void CheckNamesPresent(const api::apiextensions_v1::CustomResourceDefinitionNames& names,
                       const api::validation::Path& path,
                       api::validation::FieldErrors& errors);

}  // namespace dray::custom::definitions
