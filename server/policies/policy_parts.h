// SPDX-License-Identifier: Apache-2.0
// Rules for what policies that judge and policies that change objects have in common. After
// pkg/apis/admissionregistration/validation.
#pragma once

#include <span>

#include "api/admissionregistration_v1/policy.h"
#include "api/validation/field_error.h"
#include "api/validation/field_path.h"
#include "server/policies/expressions.h"
#include "server/policies/match_rules.h"

namespace dray::server::policies {

void CheckParamKind(const api::admissionregistration_v1::ParamKind& param,
                    const api::validation::Path& path,
                    api::validation::FieldErrors& errors);

void CheckParamRef(const api::admissionregistration_v1::ParamRef& ref,
                   const api::validation::Path& path,
                   api::validation::FieldErrors& errors);

/// Names, and expressions that compile; `compiler` knows them afterwards.
void CheckVariables(std::span<const api::admissionregistration_v1::Variable> variables,
                    const KnownExpressions& known,
                    const Declared& declared,
                    Compiler& compiler,
                    At at);

}  // namespace dray::server::policies
