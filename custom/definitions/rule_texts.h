// SPDX-License-Identifier: Apache-2.0
// What x-kubernetes-validations of one schema say besides their expressions: texts, reasons and
// fields. Expressions are compiled by custom/rules.
#pragma once

#include "api/apiextensions_v1.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"

namespace dray::custom::definitions {

void CheckRuleTexts(const api::apiextensions_v1::JSONSchemaProps& schema,
                    const api::validation::Path& path,
                    api::validation::FieldErrors& errors);

}  // namespace dray::custom::definitions
